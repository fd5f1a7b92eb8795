// Written by mcpproxy. `mcpproxy hook uninstall --agent opencode` removes it.
import { spawn } from "node:child_process";

const command = [];
const patience = 30000; // milliseconds; more than the hook ever takes

// tell hands a payload to the hook and returns what it says: nothing, or why not.
function tell(payload) {
  return new Promise((resolve) => {
    let said = "", why = "";
    try {
      const hook = spawn(command[0], [...command.slice(1), "--agent", "opencode", "--event", payload.event], {
        stdio: ["pipe", "pipe", "pipe"],
      });
      const timer = setTimeout(() => { hook.kill(); resolve(""); }, patience);
      const end = (text) => { clearTimeout(timer); resolve(text); };
      hook.on("error", () => end(""));
      hook.stdin.on("error", () => {});
      hook.stdout.on("data", (data) => { said += data; });
      hook.stderr.on("data", (data) => { why += data; });
      hook.on("close", (code) => end(code === 0 ? said : code === 2 ? JSON.stringify({ decision: "block", reason: why.trim() }) : ""));
      hook.stdin.end(JSON.stringify(payload));
    } catch {
      resolve("");
    }
  });
}

// refusal is the reason of an answer that blocks; "" for all others.
function refusal(answer) {
  try {
    const { decision, reason } = JSON.parse(answer);
    return decision === "block" ? reason || "stopped by mcpproxy" : "";
  } catch {
    return "";
  }
}

export const Mcpproxy = async ({ client, directory }) => {
  const parents = new Map();

  // root is the session that the user talks to: a subagent's leads to it.
  async function root(id) {
    for (let depth = 0; id && depth < 8; depth++) {
      if (!parents.has(id)) {
        let parent;
        try {
          parent = (await client.session.get({ path: { id } })).data?.parentID;
        } catch {
          return id;
        }
        parents.set(id, parent);
      }
      if (!parents.get(id)) return id;
      id = parents.get(id);
    }
    return id;
  }

  return {
    "tool.execute.before": async (input, output) => {
      const why = refusal(await tell({
        event: "tool.execute.before", sessionID: await root(input.sessionID), callID: input.callID,
        tool: input.tool, args: output.args, directory,
      }));
      if (why) throw new Error(why);
    },
    "tool.execute.after": async (input, output) => {
      await tell({
        event: "tool.execute.after", sessionID: await root(input.sessionID), callID: input.callID,
        tool: input.tool, args: input.args, output: output?.output ?? output, directory,
      });
    },
    "chat.message": async (input, output) => {
      const prompt = (output?.parts ?? []).filter((p) => p.type === "text" && !p.synthetic).map((p) => p.text).join("\n");
      if (prompt) await tell({ event: "chat.message", sessionID: await root(input.sessionID), prompt, directory });
    },
    event: async ({ event }) => {
      if (event.type !== "session.created" && event.type !== "session.deleted") return;
      const session = event.properties?.info;
      if (!session?.id || session.parentID) return;
      await tell({ event: event.type, sessionID: session.id, directory });
    },
  };
};
