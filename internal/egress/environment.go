package egress

// Environment returns the environment variables by which programs find the proxy. Curl, git, pip, npm, uv and most
// other programs read HTTP_PROXY, HTTPS_PROXY and ALL_PROXY. Newer versions of Node.js also need NODE_USE_ENV_PROXY.
// The NO_PROXY variables are empty, so that the user's own exceptions do not apply.
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
