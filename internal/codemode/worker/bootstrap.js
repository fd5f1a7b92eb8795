(function (maxParallel, maxOpen, maxBytes, banned) {
"use strict";
const host = __host, root = globalThis;
delete root.__host;
const { stringify, parse } = JSON;
const { freeze, defineProperty, getPrototypeOf, create } = Object;
const P = Promise, PX = Proxy, E = Error, S = String, isArray = Array.isArray, min = Math.min;
const uncurry = (f) => Function.prototype.call.bind(f);
const then = uncurry(P.prototype.then), join = uncurry(Array.prototype.join), push = uncurry(Array.prototype.push);

class ForgeError extends E {
	constructor(o) {
		super();
		defineProperty(this, "message", { value: S(o.message), enumerable: true, writable: true, configurable: true }); // whoever returns the error sees it
		this.code = o.code;
		this.retryable = o.retryable === true;
		if (o.suggested_fix) this.suggested_fix = o.suggested_fix;
		if (o.activity_id) this.activity_id = o.activity_id;
	}
}
defineProperty(ForgeError.prototype, "name", { value: "ForgeError" });
freeze(ForgeError.prototype);

const pending = create(null);
let last = 0, waiting = 0, bytes = 0; // of what waits, at most

function words(v) {
	if (typeof v === "string") return v;
	try {
		if (v instanceof E) return v.name + ": " + v.message;
		const s = stringify(v);
		return s === undefined ? S(v) : s;
	} catch (e) {
		return "[what cannot be shown]";
	}
}

// send asks the host for what body says, and awaits its answer. Of all promises hold
// keeps what settles the one that was made last. What the host would not take yet waits
// in a queue, in the script's own memory, from first to newest.
let held, first, newest;
const hold = (resolve, reject) => { held = { resolve, reject, size: 0 }; };
function send(body) {
	const answer = new P(hold), p = held;
	p.size = 3 * body.length; // as UTF-8, at most
	if (first === undefined && fits(p)) {
		post(p, body);
	} else {
		const entry = { p, body, next: undefined };
		if (first === undefined) first = entry;
		else newest.next = entry;
		newest = entry;
	}
	return answer;
}

// seconds is the lifetime that is asked for. One that is no number becomes one that the host refuses, as do
// options that hold nothing by name, such as a number in the place of { ttl }.
function seconds(options) {
	if (options === null || options === undefined) return undefined;
	if (typeof options !== "object") return -1;
	const ttl = options.ttl;
	return ttl === undefined || typeof ttl === "number" && ttl === ttl && ttl - ttl === 0 ? ttl : -1;
}

function fits(p) {
	return waiting === 0 || waiting < maxOpen && bytes + p.size <= maxBytes;
}

function post(p, body) {
	const id = ++last;
	pending[id] = p;
	waiting++;
	bytes += p.size;
	host("c", id, body);
}

// spent is the failure of a script that has used up its memory, if e says so.
function spent(e) {
	if (e instanceof E && e.name === "InternalError" && e.message === "out of memory")
		return { code: "TOO_LARGE", message: "the script exceeded its memory limit (code_execution.heap_mb)", suggested_fix: "keep less at a time: take pages, or pick the members that matter" };
}

function unwritable(what, e) {
	return spent(e) || { code: "MALFORMED", message: what + " cannot be written as JSON: " + words(e) };
}

function unwritten(e) {
	return new P((_, reject) => reject(new ForgeError(unwritable("what the script passes on", e))));
}

function ask(op, o) {
	let body;
	try {
		o.op = op;
		body = stringify(o);
	} catch (e) {
		return unwritten(e);
	}
	return send(body);
}

function settle(id, ok, body) {
	const p = pending[id];
	if (!p) return;
	delete pending[id];
	waiting--;
	bytes -= p.size;
	for (; first !== undefined && fits(first.p); first = first.next) post(first.p, first.body);
	if (!ok) p.reject(new ForgeError(parse(body)));
	else p.resolve(body === "" ? undefined : parse(body));
}

// Most calls are of the tool that was called last: only what it is given is new.
let lastServer, lastTool, head;
function callTool(server, tool, args) {
	server = S(server);
	tool = S(tool);
	if (server !== lastServer || tool !== lastTool) {
		head = '{"op":"tool","server":' + stringify(server) + ',"tool":' + stringify(tool);
		lastServer = server;
		lastTool = tool;
	}
	const before = head; // what is given may call something itself as it is written
	let given;
	try {
		given = stringify(args === undefined ? {} : args);
	} catch (e) {
		return unwritten(e);
	}
	return send(given === undefined ? before + "}" : before + ',"args":' + given + "}");
}

// What the language itself asks an object for, which is awaited or written, is no tool.
const asked = freeze({ __proto__: null, then: true, toString: true, toJSON: true, valueOf: true });

const forge = {
	callTool,
	server(name) {
		const server = S(name);
		return new PX(freeze(create(null)), {
			get: (_, key) => typeof key === "symbol" || asked[key] ? undefined : (args) => callTool(server, key, args),
			set: () => false, defineProperty: () => false,
		});
	},
	readResource: (server, uri) => ask("resource", { server: S(server), uri: S(uri) }),
	stash: freeze({
		put: (key, value, options) => ask("put", { key: S(key), value: value === undefined ? null : value, ttl: seconds(options) }),
		get: (key) => ask("get", { key: S(key) }),
		delete: (key) => ask("delete", { key: S(key) }),
		keys: () => ask("keys", {}),
	}),
	async parallel(calls, options) {
		if (!isArray(calls)) throw new ForgeError({ code: "MALFORMED", message: "forge.parallel wants an array of functions, or of {server, tool, args}" });
		const o = options || {}, size = calls.length, out = [];
		const one = (c) => typeof c === "function" ? c() : c && c.server !== undefined && c.tool !== undefined ? callTool(c.server, c.tool, c.args) : c;
		let next = 0, failed = false;
		const run = async () => {
			while (next < size && !failed) {
				const i = next++;
				try {
					out[i] = { ok: true, value: await one(calls[i]) };
				} catch (e) {
					if (o.failFast) { failed = true; throw e; }
					out[i] = { ok: false, error: e };
				}
			}
		};
		const runners = [];
		for (let i = 0; i < min(size, o.concurrency > 0 ? o.concurrency : maxParallel, maxParallel); i++) push(runners, run());
		for (let i = 0; i < runners.length; i++) then(runners[i], undefined, () => {}); // each is awaited below
		for (let i = 0; i < runners.length; i++) await runners[i];
		return out;
	},
};

const console = {};
for (const [level, mark] of [["log", ""], ["info", ""], ["debug", ""], ["warn", "warning: "], ["error", "error: "]]) {
	console[level] = (...args) => {
		const said = [];
		for (let i = 0; i < args.length; i++) push(said, words(args[i]));
		host("p", 0, mark + join(said, " "));
	};
}

for (const key in forge.stash) freeze(forge.stash[key]);
for (const [name, value] of [["forge", forge], ["console", console], ["ForgeError", ForgeError]]) {
	for (const key in value) if (typeof value[key] === "function") freeze(value[key]);
	defineProperty(root, name, { value: freeze(value), writable: false, configurable: false, enumerable: true });
}

for (const name of banned) delete root[name];
for (const f of [function () {}, async function () {}, function* () {}, async function* () {}]) {
	const proto = getPrototypeOf(f), name = proto.constructor.name;
	const denied = { [name]() { throw new TypeError("code made from text is not run here"); } }[name];
	defineProperty(proto, "constructor", { value: denied, writable: false, configurable: false });
}

function problem(e) {
	try {
		if (e instanceof ForgeError) return { code: S(e.code), message: S(e.message), retryable: e.retryable, suggested_fix: e.suggested_fix, activity_id: e.activity_id };
		if (e === null) return { code: "SCRIPT_ERROR", message: "the script threw null, as it does, too, when its memory is used up (code_execution.heap_mb)" }; // the engine throws it where it has none for an error
		return spent(e) || { code: "SCRIPT_ERROR", message: words(e), where: e instanceof E ? S(e.stack) : undefined };
	} catch (again) {
		return { code: "SCRIPT_ERROR", message: "the script threw a value that cannot be shown" };
	}
}

function start(main) {
	const ended = (async () => main())();
	then(ended, (v) => {
		let body;
		try {
			body = stringify(v);
		} catch (e) {
			host("t", 0, stringify(unwritable("the result", e)));
			return;
		}
		host("d", 0, body === undefined ? "" : body);
	}, (e) => host("t", 0, stringify(problem(e))));
}

return { start, settle, waiting: () => waiting };
})
