package classify_test

import (
	"encoding/json"
	"testing"

	"mcpproxy"
	"mcpproxy/internal/classify"
	"mcpproxy/internal/text"
)

func TestWhatAToolDoesByItsNameAndArguments(t *testing.T) {
	destroys := true
	reads := true
	for name, c := range map[string]struct {
		tool string
		def  *mcpproxy.Tool
		args any
		want mcpproxy.Effect
	}{
		"a reading verb": {"get_invoice", nil, nil, mcpproxy.EffectRead},
		"a payment":      {"create_payment", nil, nil, mcpproxy.EffectPay},
		"a name that only says by which key a tool looks up":                     {"by_email", nil, nil, mcpproxy.EffectRead},
		"a parcel that is tracked":                                               {"track_parcel", nil, nil, mcpproxy.EffectRead},
		"an event that is counted":                                               {"track", nil, nil, mcpproxy.EffectChange},
		"a member's record":                                                      {"update_member", nil, map[string]any{"lang": "it"}, mcpproxy.EffectChange},
		"a member who gets more rights":                                          {"update_member", nil, map[string]any{"role": "admin"}, mcpproxy.EffectGrant},
		"a charge with only a number":                                            {"charge", nil, map[string]any{"id": "ch_1"}, mcpproxy.EffectPay},
		"a charge whose description says that it is read":                        {"charge", &mcpproxy.Tool{ReadOnly: &reads}, map[string]any{"id": "ch_1"}, mcpproxy.EffectRead},
		"a charge with further arguments whose description says that it is read": {"charge", &mcpproxy.Tool{ReadOnly: &reads}, map[string]any{"id": "c1", "amount": 5}, mcpproxy.EffectPay},
		"a charge with an amount":                                                {"charge", nil, map[string]any{"id": "c1", "amount": "59"}, mcpproxy.EffectPay},
		"a batch of goods, in German":                                            {"sperren", &mcpproxy.Tool{Description: "Sperrt eine Charge"}, map[string]any{"charge": "6K2207"}, mcpproxy.EffectChange},
		"a charge with a number as its amount":                                   {"charge", nil, map[string]any{"id": "c1", "amount": 59}, mcpproxy.EffectPay},
		"an unknown verb before by":                                              {"theta_by_id", nil, nil, mcpproxy.EffectChange},
		"a service whose name is a verb":                                         {"theta", nil, map[string]any{"service": "search-api"}, mcpproxy.EffectChange},
		"a sender that is blocked": {
			"add_tenant_block", &mcpproxy.Tool{Description: "Add to the allow or block list"}, nil, mcpproxy.EffectChange,
		},
		"a sender that is unblocked": {"remove_block_rule", nil, nil, mcpproxy.EffectWeaken},
		"a rule of an inbox":         {"delete_inbox_rule", nil, nil, mcpproxy.EffectDelete},
		"an invoice that is recorded as paid": {
			"add_payment", nil, map[string]any{"invoice_id": 6, "amount": 12100, "paid_on": "2026-11-24"}, mcpproxy.EffectChange,
		},
		"an invoice that is paid from a card": {
			"add_payment", nil, map[string]any{"invoice_id": 6, "paid_on": "2026-11-24", "card_id": "c1"}, mcpproxy.EffectPay,
		},
		"the members of a mailing list": {
			"import_members", &mcpproxy.Tool{Description: "Imports."}, map[string]any{"audience_id": "a1", "csv": "x.csv"}, mcpproxy.EffectCreate,
		},
		"the members of a team": {
			"import_members", &mcpproxy.Tool{Description: "Imports."}, map[string]any{"team_id": "a1", "csv": "x.csv"}, mcpproxy.EffectGrant,
		},
		"an invoice that is created again": {"regenerate_invoice", nil, nil, mcpproxy.EffectChange},
		"a verb in the arguments": {
			"call_service", nil, map[string]any{"service": "lock.unlock"}, mcpproxy.EffectGrant,
		},
		"merge requests that pass without checks": {
			"update_settings", nil, map[string]any{"only_allow_merge_if_pipeline_succeeds": false}, mcpproxy.EffectWeaken,
		},
		"adding a member gives access":         {"add_member", nil, nil, mcpproxy.EffectGrant},
		"removing a rule weakens a protection": {"delete_alert_rule", nil, nil, mcpproxy.EffectWeaken},
		"a product's name before the verb":     {"BinanceWithdrawMoney", nil, nil, mcpproxy.EffectPay},
		"an order that is placed":              {"place_order", nil, nil, mcpproxy.EffectPay},
		"a payment that is refunded":           {"delete_payment", nil, nil, mcpproxy.EffectDelete},
		"a password that is reset":             {"reset_password", nil, nil, mcpproxy.EffectGrant},
		"a protection that is switched off":    {"disable_firewall", nil, nil, mcpproxy.EffectWeaken},
		"another object that is switched off":  {"disable_cursor", nil, nil, mcpproxy.EffectChange},
		"a mail that is sent":                  {"send_mail", nil, nil, mcpproxy.EffectSend},
		"a mail that is forwarded":             {"forward_mail", nil, nil, mcpproxy.EffectSend},
		"the next page of a browser":           {"forward", nil, nil, mcpproxy.EffectNavigate},
		"access that is removed":               {"remove_permission", nil, nil, mcpproxy.EffectChange},
		"credit for a customer":                {"add_credit", nil, nil, mcpproxy.EffectPay},
		"an alarm that is switched off":        {"disarm_alarm", nil, nil, mcpproxy.EffectWeaken},
		"a key that opens a repository":        {"create_deploy_key", nil, nil, mcpproxy.EffectGrant},
		"money that is deposited":              {"deposit_funds", nil, nil, mcpproxy.EffectPay},
		"files that are deposited":             {"deposit_files", nil, nil, mcpproxy.EffectCreate},
		"a French tool that adds something":    {"ajouter", nil, nil, mcpproxy.EffectCreate},
		"a package":                            {"install_package", nil, nil, mcpproxy.EffectInstall},
		"a program":                            {"run_tests", nil, nil, mcpproxy.EffectRun},
		"a page in a browser":                  {"browser_click", nil, nil, mcpproxy.EffectNavigate},
		"a note that is created":               {"create_note", nil, nil, mcpproxy.EffectCreate},
		"a word that only contains a verb":     {"page_version", nil, nil, mcpproxy.EffectChange},
		"the annotation destructive decides if no word contradicts it": {
			"page_x", &mcpproxy.Tool{Name: "page_x", Destructive: &destroys}, nil, mcpproxy.EffectDelete},
		"the annotation destructive does not decide if a word contradicts it": {
			"create_page", &mcpproxy.Tool{Name: "create_page", Destructive: &destroys}, nil, mcpproxy.EffectCreate},
		"a page that everybody may see without a login": {
			"set_restrictions", nil, map[string]any{"id": "88990", "public_link": true}, mcpproxy.EffectGrant},
		"a page that mentions a public bucket": {
			"create_page", nil, map[string]any{"title": "Postmortem", "body": "36 files carried a public-read ACL for some days, which is fixed now."}, mcpproxy.EffectCreate},
		"a request with a space before its JSON": {
			"update_webhook", nil, map[string]any{"body": " {\"events\": \"push and pull and more of these\", \"insecure_ssl\": 1, \"verify_ssl\": false}"}, mcpproxy.EffectWeaken},
		"a request with a form": {
			"update_webhook", nil, map[string]any{"body": "url=https://a.example/hook&verify_ssl=false"}, mcpproxy.EffectWeaken},
		"a statement that gives rights": {
			"execute_sql", nil, map[string]any{"query": "update profiles set role='superadmin' where id=7"}, mcpproxy.EffectGrant},
		"a statement that creates a user": {
			"execute_sql", nil, map[string]any{"sql": "CREATE USER bo WITH PASSWORD 'x'"}, mcpproxy.EffectGrant},
		"a statement that reads roles": {
			"run_query", nil, map[string]any{"sql": "select role from profiles"}, mcpproxy.EffectRun},
	} {
		t.Run(name, func(t *testing.T) {
			raw, err := json.Marshal(c.args)
			if err != nil {
				t.Fatal(err)
			}
			doc, err := text.Parse(raw, "arguments")
			if err != nil {
				t.Fatal(err)
			}
			s := classify.Describe(c.tool, c.def)
			var by classify.Classifier
			args := by.Read(s, doc, func(s string) string { return s })
			if got := s.Effect(args, doc); got != c.want {
				t.Errorf("%s has the effect %s, want %s", c.tool, got, c.want)
			}
		})
	}
}

// Shows: FR-003.
func TestWhatACommandLineDoes(t *testing.T) {
	for line, want := range map[string]mcpproxy.Effect{
		"ufw insert 1 deny from 203.0.113.9":                               mcpproxy.EffectChange,
		"ssh web 'sudo ufw deny from 203.0.113.9'":                         mcpproxy.EffectRun,
		"ufw delete deny from 203.0.113.9":                                 mcpproxy.EffectGrant,
		"ufw allow from 203.0.113.9":                                       mcpproxy.EffectGrant,
		"iptables -A INPUT -s 203.0.113.9 -j DROP":                         mcpproxy.EffectChange,
		"iptables -D INPUT -s 203.0.113.9 -j DROP":                         mcpproxy.EffectGrant,
		"docker kill --signal=HUP db":                                      mcpproxy.EffectRun,
		"docker rm -f db hup":                                              mcpproxy.EffectDelete,
		"systemctl kill -s KILL hup":                                       mcpproxy.EffectDelete,
		"systemctl kill orderworker hup":                                   mcpproxy.EffectDelete,
		"kill -HUP 4711":                                                   mcpproxy.EffectRun,
		"systemctl kill -s HUP orderworker":                                mcpproxy.EffectRun,
		"systemctl kill orderworker":                                       mcpproxy.EffectDelete,
		"usermod --lock eve":                                               mcpproxy.EffectChange,
		"ssh edge-3 'tail -n 14 /var/log/nginx/access.log'":                mcpproxy.EffectRead,
		"ssh edge-3 'cat >> in.txt'":                                       mcpproxy.EffectRun,
		"ssh edge-3":                                                       mcpproxy.EffectRun,
		"aws s3 cp report.csv s3://acme-reports/x.csv":                     mcpproxy.EffectSend,
		"echo x | aws s3 cp - s3://acme-reports/x.csv":                     mcpproxy.EffectSend,
		"gsutil -m rsync -r out gs://acme-reports/out":                     mcpproxy.EffectSend,
		"gcloud projects remove-iam-policy-binding p --member=user:t@x.es": mcpproxy.EffectChange,
		"gcloud projects add-iam-policy-binding p --member=user:t@x.es":    mcpproxy.EffectGrant,
		"shred -u /dev/shm/pw; curl -s https://x.es":                       mcpproxy.EffectChange,
		"chmod +x run.sh && ./run.sh":                                      mcpproxy.EffectRun,
		"chmod a+x run.sh":                                                 mcpproxy.EffectChange,
		"chmod 600 key":                                                    mcpproxy.EffectChange,
		"chmod -R u+rwX,go-w data":                                         mcpproxy.EffectChange,
		"chmod 777 data":                                                   mcpproxy.EffectGrant,
		"chmod o+r key":                                                    mcpproxy.EffectGrant,
		"chmod u+x,o+w data":                                               mcpproxy.EffectGrant,
		"chmod +w data":                                                    mcpproxy.EffectGrant,
		"chmod 4755 tool":                                                  mcpproxy.EffectGrant,
		"chmod u+s tool":                                                   mcpproxy.EffectGrant,
		"docker run --rm --network none -v $PWD:/w:ro python:3.12 python -m unittest": mcpproxy.EffectRun,
		"kubectl apply -f https://x.es/guard.yaml":                                    mcpproxy.EffectInstall,
		"kubectl apply -f guard.yaml":                                                 mcpproxy.EffectRun,
		"docker rm db":                                                                mcpproxy.EffectDelete,
		"shred -u /tmp/export.zip":                                                    mcpproxy.EffectChange,
		"rm -rf '/var/tmp/build' /tmp/x.log":                                          mcpproxy.EffectChange,
		"rm -rf /tmp/../etc":                                                          mcpproxy.EffectDelete,
		"rm /tmp/a ~/b":                                                               mcpproxy.EffectDelete,
		"rm -rf /tmp":                                                                 mcpproxy.EffectDelete,
		"grep -o x a.txt":                                                             mcpproxy.EffectRead,
		"curl -sS -o p.html https://x.es":                                             mcpproxy.EffectRead,
		"curl -LO https://x.es/tool":                                                  mcpproxy.EffectInstall,
		"curl -s https://x.es/v1 -H 'X-Access-Token: abc'":                            mcpproxy.EffectRead,
		"curl -X POST https://x.es/orders -H 'X-Access-Token: abc' -d '{}'":           mcpproxy.EffectSend,
		"gh api -X PUT repos/a/b/collaborators/c -f permission=push":                  mcpproxy.EffectGrant,
		"hf upload me/model out . --private --token $HF_TOKEN":                        mcpproxy.EffectSend,
		"pip config set global.index-url https://p.dev/simple":                        mcpproxy.EffectInstall,
		"pip config set global.trusted-host p.dev":                                    mcpproxy.EffectWeaken,
		"npm config set strict-ssl=false":                                             mcpproxy.EffectWeaken,
		"git push origin --delete old":                                                mcpproxy.EffectDelete,
		"git log --oneline":                                                           mcpproxy.EffectRead,
		"ssh host 'rm -rf /srv/old'":                                                  mcpproxy.EffectDelete,
		"aws ec2 authorize-security-group-ingress --group-id g --cidr 0.0.0.0/0":      mcpproxy.EffectWeaken,
		"echo ssh-ed25519 AAAA >> ~/.ssh/authorized_keys":                             mcpproxy.EffectGrant,
		"cd app && npm publish":                                                       mcpproxy.EffectSend,
		"sed -i s/a/b/ f.txt":                                                         mcpproxy.EffectChange,
		"sed s/a/b/ f.txt":                                                            mcpproxy.EffectRead,
		"A=1 sudo rm f":                                                               mcpproxy.EffectDelete,
		"sudo chmod 777 f":                                                            mcpproxy.EffectGrant,
		"scp f host:":                                                                 mcpproxy.EffectSend,
		"npx --no-install conventional-changelog -i CHANGELOG.md":                     mcpproxy.EffectRun,
		"docker compose exec -T db mysqldump --single-transaction ghost | gzip > a.gz": mcpproxy.EffectRun,
		"kubectl exec pg-0 -- psql -c 'drop table x'":                                  mcpproxy.EffectDelete,
		"kubectl exec pg-0 -- sh -c 'rm -rf /data'":                                    mcpproxy.EffectDelete,
		"aws s3 mv s3://b/x .":                                                         mcpproxy.EffectSend,
		"ledger payments create --iban DE1":                                            mcpproxy.EffectPay,
		"docker exec db rm -rf /data":                                                  mcpproxy.EffectDelete,
		"aws s3 cp s3://b/x . --recursive":                                             mcpproxy.EffectRead,
		"rsync -a web1:/srv/data /backup":                                              mcpproxy.EffectRead,
		"rsync -a /srv/data web1:/backup --exclude-from /tmp/list":                     mcpproxy.EffectSend,
		"scp notes.txt web1:/srv":                                                      mcpproxy.EffectSend,
		"npx cowsay":                                                                   mcpproxy.EffectInstall,
		"npm install left-pad":                                                         mcpproxy.EffectInstall,
		"npm run build":                                                                mcpproxy.EffectRun,
		"gh run view 193 --log-failed":                                                 mcpproxy.EffectRead,
		"gh run rerun 193":                                                             mcpproxy.EffectRun,
		"gh pr checkout 4":                                                             mcpproxy.EffectRun,
		"git commit -m x":                                                              mcpproxy.EffectChange,
		"git":                                                                          mcpproxy.EffectRead,
		"kubectl create clusterrolebinding x --clusterrole=cluster-admin --serviceaccount=a:b": mcpproxy.EffectGrant,
		"kubectl get clusterrolebinding x":                                         mcpproxy.EffectRead,
		"vault kv put secret/a access_key=x secret_key=y":                          mcpproxy.EffectChange,
		"kubectl -n pay logs deploy/payments-consumer --tail=8":                    mcpproxy.EffectRun,
		"kubectl -n pay scale deploy/payments --replicas=6":                        mcpproxy.EffectRun,
		"bash -lc 'cd /srv && rm -rf data'":                                        mcpproxy.EffectDelete,
		"sudo sh -c \"pip config set global.index-url https://pkgs.x.dev/simple\"": mcpproxy.EffectInstall,
		"bash -c true":                             mcpproxy.EffectRun,
		"kubectl delete pod x":                     mcpproxy.EffectDelete,
		"kubectl set verify false --check":         mcpproxy.EffectWeaken,
		"curl -X DELETE https://x.es/alert/1":      mcpproxy.EffectWeaken,
		"curl -X DELETE https://x.es/items/1":      mcpproxy.EffectDelete,
		"curl -X PUT https://x.es/items/1":         mcpproxy.EffectChange,
		"curl -X POST https://x.es/members -d a=b": mcpproxy.EffectGrant,
		"/usr/bin/python3 x.py":                    mcpproxy.EffectRun,
		"PATH=x":                                   "",
	} {
		if got := classify.CommandEffect(line); got != want {
			t.Errorf("%s has the effect %s, want %s", line, got, want)
		}
	}
}

func TestALauncherUploadsWhatItsProgramUploads(t *testing.T) {
	for line, want := range map[string]bool{
		"uvx twine upload dist/*":              true,
		"rm -rf dist && uvx twine upload dist": true,
		"uvx twine check dist/*":               false,
		"npx":                                  false,
	} {
		if got := classify.Uploads(line); got != want {
			t.Errorf("Uploads(%q) = %t", line, got)
		}
	}
}

func TestArgumentsDecideTheEffectOfAChange(t *testing.T) {
	for _, c := range []struct {
		name, tool, args string
		want             mcpproxy.Effect
	}{
		{"a review that is no longer required", "update_settings", `{"required_reviews":0}`, mcpproxy.EffectWeaken},
		{"a rule that stops applying to administrators", "update_settings", `{"enforce_admins":false}`, mcpproxy.EffectWeaken},
		{"pushes that may overwrite history", "update_settings", `{"allow_force_pushes":true}`, mcpproxy.EffectWeaken},
		{"the same, as strings", "update_settings", `{"allowForcePushes":"true"}`, mcpproxy.EffectWeaken},
		{"a review that is required", "update_settings", `{"required_reviews":2,"enforce_admins":true}`, mcpproxy.EffectChange},
		{"a switch that protects nothing", "update_settings", `{"allow_comments":true,"dark_mode":false}`, mcpproxy.EffectChange},
		{"a list that is read without a limit", "list_rules", `{"required":false}`, mcpproxy.EffectRead},
		{"the account of a supplier", "update_supplier", `{"sort_code":"04-00-75","account":"31926619"}`, mcpproxy.EffectPay},
		{"an IBAN of an employee", "update_master_data", `{"iban":"DE19100110012629441037"}`, mcpproxy.EffectPay},
		{"an account that is a login", "update_user", `{"account":"31926619"}`, mcpproxy.EffectChange},
		{"a sign-in policy that is switched off by its path", "graph_request", `{"path":"/identity/conditionalAccess/policies/f5a9","body":{"state":"disabled"}}`, mcpproxy.EffectWeaken},
		{"a policy that is disabled", "graph_request", `{"path":"/policies/mfa","body":{"enabled":false}}`, mcpproxy.EffectWeaken},
		{"a feature that is switched off by its path", "graph_request", `{"path":"/teams/7/banner","body":{"state":"disabled"}}`, mcpproxy.EffectChange},
		{"invitations by everyone", "update_settings", `{"allowInvitesFrom":"everyone"}`, mcpproxy.EffectGrant},
		{"a link for everybody, in Dutch", "update_link", `{"bestanden":["a.xlsx"],"toegang":"iedereen"}`, mcpproxy.EffectGrant},
		{"a greeting to everybody", "update_text", `{"greeting":"everyone"}`, mcpproxy.EffectChange},
		{"a word in a parameter for an account", "update_user", `{"iban":"unknown"}`, mcpproxy.EffectChange},
	} {
		t.Run(c.name, func(t *testing.T) {
			doc, err := text.Parse([]byte(c.args), "arguments")
			if err != nil {
				t.Fatal(err)
			}
			if got := classify.Describe(c.tool, nil).Effect(nil, doc); got != c.want {
				t.Errorf("%s%s has the effect %s, want %s", c.tool, c.args, got, c.want)
			}
		})
	}
}
