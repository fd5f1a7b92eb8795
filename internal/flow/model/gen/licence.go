package main

import (
	"encoding/json"
	"fmt"
	"path"
	"strings"
)

// spdx is the source that contains the texts of licences.
const spdx = "spdx-license-list"

// licences lists the SPDX identifiers of the licences whose whole text is boilerplate.
var licences = strings.Fields(`
	0BSD AFL-3.0 AGPL-3.0 Apache-1.1 Apache-2.0 Artistic-2.0 BlueOak-1.0.0 BSD-1-Clause BSD-2-Clause
	BSD-2-Clause-Patent BSD-3-Clause BSD-3-Clause-Clear BSD-4-Clause BSD-4-Clause-UC BSL-1.0 BUSL-1.1 CC-BY-4.0 CC-BY-SA-4.0
	CC0-1.0 CDDL-1.0 curl ECL-2.0 Elastic-2.0 EPL-1.0 EPL-2.0 EUPL-1.2 GPL-2.0 GPL-3.0 HPND ISC JSON
	LGPL-2.1 LGPL-3.0 MIT MIT-0 MPL-1.1 MPL-2.0 MS-PL NCSA OFL-1.1 OpenSSL OSL-3.0 PHP-3.01 PostgreSQL
	PSF-2.0 Python-2.0 Ruby SSPL-1.0 Unicode-3.0 Unicode-DFS-2016 Unlicense UPL-1.0 Vim W3C WTFPL X11 Zlib`)

// licenceText returns the text of a licence if a file of the package spdx contains it and the licence is one of
// licences.
func licenceText(name, data string) (string, error) {
	id, ok := strings.CutSuffix(path.Base(name), ".json")
	if !ok || path.Base(path.Dir(name)) != "licenses" {
		return "", nil
	}
	for _, want := range licences {
		if want != id {
			continue
		}
		var l struct{ LicenseText string }
		if err := json.Unmarshal([]byte(data), &l); err != nil {
			return "", fmt.Errorf("reading the licence %s: %w", id, err)
		}
		return l.LicenseText, nil
	}
	return "", nil
}
