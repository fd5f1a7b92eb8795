package egress

// Environment returns the variables by which programs find a proxy at an address. Curl, git, pip, npm, uv and most
// others read the usual three; newer versions of Node.js need the last one as well. The exceptions that the user's own
// environment makes for some hosts are removed.
func Environment(proxy string) map[string]string {
	return map[string]string{
		"HTTP_PROXY":             proxy,
		"http_proxy":             proxy,
		"HTTPS_PROXY":            proxy,
		"https_proxy":            proxy,
		"ALL_PROXY":              proxy,
		"all_proxy":              proxy,
		"npm_config_proxy":       proxy,
		"npm_config_https_proxy": proxy,
		"npm_config_noproxy":     "",
		"NO_PROXY":               "",
		"no_proxy":               "",
		"NODE_USE_ENV_PROXY":     "1",
	}
}
