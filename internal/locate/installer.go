package locate

import "strings"

// installers are the hosts on which well-known projects publish the script that installs their program. Nobody else
// can publish there.
var installers = map[string]bool{
	"astral.sh":                 true, // uv
	"bun.sh":                    true,
	"cli.doppler.com":           true,
	"deb.nodesource.com":        true,
	"dl.yarnpkg.com":            true,
	"download.docker.com":       true,
	"fly.io":                    true,
	"get.docker.com":            true,
	"get.helm.sh":               true,
	"get.k3s.io":                true,
	"get.pnpm.io":               true,
	"get.pulumi.com":            true,
	"get.rvm.io":                true,
	"get.sdkman.io":             true,
	"get.volta.sh":              true,
	"install.python-poetry.org": true,
	"mise.run":                  true,
	"nixos.org":                 true,
	"pdm-project.org":           true,
	"pkgs.tailscale.com":        true,
	"pyenv.run":                 true,
	"rpm.nodesource.com":        true,
	"sh.rustup.rs":              true,
	"starship.rs":               true,
	"tailscale.com":             true,
}

// IsInstaller reports whether a host serves only the installation script of a well-known project.
func IsInstaller(host string) bool { return installers[strings.ToLower(host)] }
