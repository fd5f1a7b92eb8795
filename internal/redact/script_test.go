package redact_test

import "testing"

func TestScriptsWithoutSpacesHideNothing(t *testing.T) {
	check(t, []shape{
		{
			"a path in curly quotes",
			"ls: cannot access ‘/srv/data/x’: No such file",
			"ls: cannot access ‘[path]’: No such file",
		},
		{"a path in curly double quotes", "“/srv/mcp/secrets.toml”", "“[path]”"},
		{"a path in curly quotes, with spaces", "‘/srv/My Documents/a b.txt’ is gone", "‘[path]’ is gone"},
		{"a path in guillemets", "«/srv/x/z» introuvable", "«[path]» introuvable"},
		{"a path of another script", "找不到文件：/home/用户/数据.csv", "找不到文件：[path]"},
		{"a path between words", "无法打开/etc/passwd文件", "无法打开[path]文件"},
		{"a path and what is wrong with it", "/srv/数据/a.csv不存在", "[path]不存在"},
		{"a path with accents", "impossible d'ouvrir /srv/données/été.csv.", "impossible d'ouvrir [path]."},
		{"an address between words", "连接失败10.0.0.5:8080，请重试", "连接失败[address]，请重试"},
		{"an address in curly quotes", "“203.0.113.8:443”", "“[address]”"},
		{"a host in curly quotes", "“db.internal:5432”", "“[address]”"},
		{"a drive behind a wide colon", `路径：C:\Users\bob\x.txt`, "路径：[path]"},
		{"a drive before a wide semicolon", `pkg: C:\Users\bob\x.log；路径：C:\Users\bob\y.txt`, "pkg: [path]；路径：[path]"},
		{"a share of another script", `\\文件服务器\共享\x.txt 不存在`, "[path] 不存在"},
		{"a password in corner brackets", "「password=hunter2」が違います", "「password=[key]」が違います"},
		{"a password in curly quotes", "password: “hunter2horse” is wrong", "password: “[credential]” is wrong"},
		{"a password behind a wide colon", "password：hunter2，请重试", "password：[key]，请重试"},
		{"a key between words", "密钥sk-abcd1234efgh5678无效", "密钥[credential]无效"},
		{"a URL in corner brackets", "「http://10.0.0.5:80/x」に接続できません", "「[url]」に接続できません"},
	})
	kept(
		t,
		"да/нет/возможно",
		"и/или",
		"文档/笔记/今天.md 不存在",
		"café/menu/x.md is missing",
		"“limit” must be > 0",
		"字段“名称”不能为空",
		"größer/gleich 3",
		"類型/種類/分類",
		"「limit」は1以上でなければなりません",
		"版本：1.2.3",
		"名称：必填",
		"‘src/main.go’ is not staged",
	)
}
