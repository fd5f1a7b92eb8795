package redact_test

import "testing"

func TestTraces(t *testing.T) {
	check(t, []shape{
		{
			"Python",
			"Error executing tool read: Traceback (most recent call last):\n  File \"/app/server.py\", line 12, in call\n    return f()\n           ^^^\nValueError: bad id 'x'",
			"Error executing tool read:\nValueError: bad id 'x'",
		},
		{
			"Python, one within another",
			"Traceback (most recent call last):\n  File \"/app/a.py\", line 1, in a\n    b()\nKeyError: 'x'\n\nDuring handling of the above exception, another exception occurred:\n\nTraceback (most recent call last):\n  File \"/app/a.py\", line 3, in a\n    c()\nRuntimeError: no x",
			"RuntimeError: no x",
		},
		{
			"Python's groups",
			"  + Exception Group Traceback (most recent call last):\n  |   File \"/app/a.py\", line 1, in a\n  | ExceptionGroup: unhandled errors in a TaskGroup (1 sub-exception)\n  +-+---------------- 1 ----------------\n    | Traceback (most recent call last):\n    |   File \"/app/b.py\", line 2, in b\n    | ValueError: bad id\n    +------------------------------------\n",
			"  + Exception Group\nExceptionGroup: unhandled errors in a TaskGroup (1 sub-exception)\nValueError: bad id",
		},
		{
			"Node",
			"TypeError: Cannot read properties of undefined (reading 'id')\n    at handler (/app/dist/index.js:10:15)\n    at async Server.<anonymous> (file:///app/node_modules/x/server.js:1:2)\n    at process.processTicksAndRejections (node:internal/process/task_queues:95:5)\n    at new Promise (<anonymous>)\n    at async /app/dist/x.js:3:1",
			"TypeError: Cannot read properties of undefined (reading 'id')",
		},
		{
			"Node, quoted",
			`Error: no id\n    at handler (/app/dist/index.js:10:15)\n    at /app/x.js:1:2`,
			"Error: no id",
		},
		{
			"Node with a cause",
			"Error: query failed\n    at q (/app/q.js:1:1)\n  [cause]: Error: connect ECONNREFUSED 127.0.0.1:5432\n      at TCPConnectWrap (node:net:1:1)",
			"Error: query failed",
		},
		{
			"Java",
			"java.lang.IllegalStateException: no such index: users\n\tat com.acme.Search.find(Search.java:42)\n\tat java.base/java.lang.Thread.run(Thread.java:829) ~[na:na]\n\tat sun.reflect.X.invoke0(Native Method)\nCaused by: java.net.ConnectException: Connection refused\n\tat com.acme.Net.open(Net.java:7)\n\t... 23 more\n",
			"java.lang.IllegalStateException: no such index: users",
		},
		{
			".NET",
			"System.InvalidOperationException: Sequence contains no elements ---> System.Net.Sockets.SocketException (111): Connection refused\n   at System.Linq.Enumerable.First[T](IEnumerable`1 s)\n   --- End of inner exception stack trace ---\n   at Acme.Tools.Run(String id) in C:\\src\\Acme\\Tools.cs:line 12",
			"System.InvalidOperationException: Sequence contains no elements",
		},
		{
			"Go",
			"panic: runtime error: index out of range [3] with length 2\n\ngoroutine 1 [running]:\nmain.find(0xc000012345, 0x3)\n\t/app/main.go:12 +0x1d\nmain.main()\n\t/app/main.go:20 +0x25\ncreated by net/http.(*Server).Serve\n\t/usr/local/go/src/net/http/server.go:3086 +0x5cb\nexit status 2",
			"panic: runtime error: index out of range [3] with length 2\n\nexit status 2",
		},
		{
			"Go, wrapped",
			"no such row\nmain.find\n\t/app/main.go:12\nmain.main\n\t/app/main.go:20\nruntime.goexit\n\t/usr/local/go/src/runtime/asm_amd64.s:1598",
			"no such row\nruntime.goexit\n\t[path]",
		},
		{
			"Ruby",
			"/app/lib/tool.rb:12:in `find': undefined method `id' for nil (NoMethodError)\n\tfrom /app/lib/tool.rb:20:in `call'\n\tfrom /app/main.rb:3:in `<main>'",
			"undefined method `id' for nil (NoMethodError)",
		},
		{
			"PHP",
			"PHP Fatal error:  Uncaught Exception: bad id in /app/src/Tool.php:12\nStack trace:\n#0 /app/index.php(3): Tool->run('x')\n#1 {main}\n  thrown in /app/src/Tool.php on line 12",
			"PHP Fatal error:  Uncaught Exception: bad id in [path]",
		},
		{
			"Rust",
			"thread 'main' panicked at src/main.rs:4:5:\nno such id\nstack backtrace:\n   0: std::panicking::begin_panic\n             at /rustc/abc/library/std/src/panicking.rs:616:12\n   1: app::main\n             at ./src/main.rs:4:5\nnote: run with `RUST_BACKTRACE=full` for a verbose backtrace",
			"thread 'main' panicked at src/main.rs:4:5:\nno such id",
		},
		{
			"Rust's causes",
			"Error: failed to search\n\nCaused by:\n    0: cannot open index\n    1: No such file or directory (os error 2)",
			"Error: failed to search",
		},
		{"causes in a line", "search failed, Caused by: connection refused", "search failed"},
	})
}

func TestTracesByTheirShape(t *testing.T) {
	check(t, []shape{
		{
			"Elixir",
			"** (RuntimeError) bad id\n    (app 0.1.0) lib/app/user.ex:12: App.User.get/1\n    lib/app/user.ex:3: App.User.all/0\n    (elixir 1.14.0) lib/enum.ex:1: anonymous fn/3 in Enum.map/2",
			"** (RuntimeError) bad id",
		},
		{
			"Lua",
			"main.lua:3: bad id\nstack traceback:\n\t[C]: in function 'error'\n\tmain.lua:3: in function 'f'",
			"main.lua:3: bad id",
		},
		{
			"Dart",
			"FormatException: bad id\n#0      int._handleFormatError (dart:core-patch/integers_patch.dart:126:5)\n#1      main (file:///app/x.dart:3:4)",
			"FormatException: bad id",
		},
		{"a debugger", "crashed\n#0  0x00007f in ?? ()\n#1 main (argc=1) at x.c:12", "crashed"},
		{
			".NET in German",
			"Fehler: keine id\n   bei System.Linq.Enumerable.First[T](IEnumerable s)\n   bei Corp.App.X.Y() in C:\\src\\x.cs:Zeile 3",
			"Fehler: keine id",
		},
		{".NET in Chinese", "错误\n   在 Corp.App.X.Y() 位置 C:\\src\\x.cs:行号 3", "错误"},
		{
			"Go in a log's field",
			`level=error msg="no id" stack="main.run\n\t/app/main.go:22\nmain.main\n\t/app/main.go:30" req=7`,
			`level=error msg="no id" stack="" req=7`,
		},
		{
			"Java, quoted twice",
			`{\\\"error\\\":\\\"no id\\\\n\\\\tat com.x.Y.z(Y.java:3)\\\\n\\\\tat com.x.Y.w(Y.java:4)\\\"}`,
			`{\\\"error\\\":\\\"no id\\\\n\\\"}`,
		},
		{
			"an array of frames",
			`{"message":"no id","stackTrace":["com.x.Y.z(Y.java:3)","com.x.Y.w(Y.java:4)"]}`,
			`{"message":"no id","stackTrace":["",""]}`,
		},
		{"a frame alone", "com.x.Y.z(Y.java:3)", "[trace]"},
		{
			"urllib3",
			"HTTPSConnectionPool(host='x', port=443): Max retries exceeded (Caused by ConnectTimeoutError(<urllib3.Connection object at 0x7f>, 'timed out'))",
			"HTTPSConnectionPool(host='*', port=443): Max retries exceeded",
		},
		{
			"Python in one line",
			`Traceback (most recent call last): File "/app/x.py", line 3, in f return g() ValueError: limit must be > 0`,
			"ValueError: limit must be > 0",
		},
		{
			"Python in one line behind words",
			`Error: Traceback (most recent call last): File "/app/x.py", line 3, in f ValueError: limit must be > 0`,
			"Error: ValueError: limit must be > 0",
		},
		{
			"Python, quoted",
			`Traceback (most recent call last):\n  File \"/app/x.py\", line 3, in f\n    return g()\nValueError: limit must be > 0`,
			"ValueError: limit must be > 0",
		},
		{"Java's cause alone", "Caused by: java.io.IOException: bad id", "java.io.IOException: bad id"},
	})
	kept(
		t,
		"Multiple issues match, give one of:\n#12 Fix the thing (open): assigned to bob\n#13 Fix (closed): assigned to ann",
		"#12 Fix the thing (open): assigned",
		"delay caused by the upstream limit",
		"src/main.go:12: undefined: foo.Bar\nsrc/main.go:13: too many arguments",
		"Hint:\n  use client.List(owner) first",
		"a \\n b",
		`path must not hold \n or \t`,
		`{"stack":"web","names":["a.b(c)"]}`,
		"at least one of (a, b)",
		"lib/app/user.ex:12: undefined function get/1",
		"error[E0425]: cannot find value `x`\n --> src/main.rs:4:5",
	)
}
