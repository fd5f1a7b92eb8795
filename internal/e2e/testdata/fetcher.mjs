// A stdio MCP server with one tool, which reaches for an address: with fetch, curl, or a connection of its own.
import { execFile } from "node:child_process";
import { connect } from "node:net";
import { createInterface } from "node:readline";

const tool = {
  name: "fetch",
  description: "Fetches a page.",
  inputSchema: { type: "object", properties: { address: { type: "string" }, by: { type: "string" } } },
};

const ways = {
  fetch: async (address) => {
    const answer = await fetch(address);
    return `${answer.status} ${await answer.text()}`;
  },
  curl: (address) =>
    new Promise((done, failed) => {
      execFile("curl", ["-sS", "--max-time", "10", address], (error, out) => (error ? failed(error) : done(out)));
    }),
  connect: (address) =>
    new Promise((done, failed) => {
      const { hostname, port } = new URL(address);
      const socket = connect(Number(port), hostname, () => done("connected"));
      socket.on("error", failed);
    }),
};

async function answer(method, params) {
  switch (method) {
    case "initialize":
      return {
        protocolVersion: params.protocolVersion,
        capabilities: { tools: {} },
        serverInfo: { name: "fetcher", version: "1" },
      };
    case "tools/list":
      return { tools: [tool] };
    case "tools/call": {
      const { address, by } = params.arguments;
      const text = await ways[by](address).catch((error) => `failed: ${error.cause?.message ?? error.message}`);
      return { content: [{ type: "text", text }] };
    }
  }
  throw { code: -32601, message: "unknown method" };
}

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) continue;
  const response = await answer(method, params).then(
    (result) => ({ result }),
    (error) => ({ error }),
  );
  process.stdout.write(JSON.stringify({ jsonrpc: "2.0", id, ...response }) + "\n");
}
