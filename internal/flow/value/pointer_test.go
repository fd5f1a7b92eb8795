package value

import "testing"

func TestAnIdentifierThatEverybodyCanLookUpIsAReference(t *testing.T) {
	for w, want := range map[string]bool{
		"10.1145/36111":           true,
		"10.48550/arXiv.2503.1":   true,
		"10.18653/v1/2025.acl.77": true,
		"11.1145/Xq7Zp0Lk9Vw3Rt8": false,
		"10.1145/" + "Xq7Zp0Lk9Vw3Rt8Yc2Nb5Md1Gh6Jf4Ks0Qw8Er3Ty": false,
	} {
		if got := Reference(w) == len(w); got != want {
			t.Errorf("%s is a reference: %t", w, got)
		}
	}
}
