package doctor

import (
	"context"
	"fmt"
	"net/http"
	"time"
)

// port asks for the health of the listener, as an agent would reach it.
func port(ctx context.Context, listen string) Check {
	result := Check{Section: "Daemon", Name: "port", Detail: "http://" + listen}
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+listen+"/healthz", nil)
	if err == nil {
		var resp *http.Response
		if resp, err = http.DefaultClient.Do(req); err == nil {
			resp.Body.Close()
			if result.OK = resp.StatusCode == http.StatusOK; !result.OK {
				err = fmt.Errorf("it answers %s", resp.Status)
			}
		}
	}
	if err != nil {
		result.Detail, result.Advice = err.Error(), "something else answers there, or nothing does: look at listen in the configuration"
	}
	return result
}
