// Generated from openapi.json by types.mjs; make page makes it anew. Do not edit.

export interface paths {
    "/api/v1/activity": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Records of the activity log */
        get: operations["list-activity"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/activity/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** All records that match, oldest first, as a stream */
        get: operations["export-activity"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/activity/filter-options/{field}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The values in use for a filter, the most frequent first */
        get: operations["filter-options"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/activity/summary": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Counts of the activity log's records, by kind and over time */
        get: operations["activity-summary"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/activity/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** One record in full */
        get: operations["get-activity"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/approvals": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The questions about calls that wait for an answer, oldest first */
        get: operations["list-approvals"];
        put?: never;
        /** Answers a question about a call */
        post: operations["decide-approval"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/approvals/rules": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The approvals for always, oldest first */
        get: operations["list-approval-rules"];
        put?: never;
        /** Approves for always what the question about a recorded call covers, and nothing more */
        post: operations["keep-approval-rule"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/approvals/rules/{id}/revoke": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Revokes an approval for always */
        post: operations["revoke-approval-rule"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/approvals/{id}/approve": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Lets the call of a request through: once, for its session, or always */
        post: operations["approve-call"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/approvals/{id}/deny": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Refuses the call of a request, or withdraws an unused approval */
        post: operations["deny-call"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/code/run": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Runs a script in the sandbox, each of its calls through the gate */
        post: operations["run-code"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/diagnostics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What is covered, what is broken, and what could be better */
        get: operations["diagnostics"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/explain/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Why one call was decided as it was, and what would have allowed it */
        get: operations["explain-activity"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/fleet": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The machines that send their records to this hub, and what is new on them */
        get: operations["fleet"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/home": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What belongs to the user's own organisation, or could */
        get: operations["list-home"];
        put?: never;
        /** Decides what belongs to the user's own organisation */
        post: operations["decide-home"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/hooks/evaluate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Evaluate an event of an agent's hook */
        post: operations["evaluate-hook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/kill": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Whether every call is denied */
        get: operations["kill-state"];
        put?: never;
        /** Turns the kill switch on or off */
        post: operations["kill"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/login": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Makes a code that opens the page once, within two minutes */
        post: operations["login"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/login/exchange": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Makes a session of the page from a login code (X-Mcpproxy-Login) or from the key */
        post: operations["exchange-login"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/login/ways": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** How people can log in to the page beside a link and the key */
        get: operations["login-ways"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/logout": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Ends the page's session */
        post: operations["logout"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/policies/simulate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** How another policy would have decided the calls in the log */
        post: operations["simulate-policy"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/policies/suggestions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Changes of the policy that the activity log suggests */
        get: operations["suggest-policies"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/probe/run": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Tests an MCP server from the outside */
        post: operations["run-probe"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/servers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The configured servers */
        get: operations["list-servers"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/servers/{name}/logs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What a server last wrote to its standard error */
        get: operations["server-logs"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/servers/{name}/quarantine": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Quarantines a server: holds everything that it declares */
        post: operations["quarantine-server"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/servers/{name}/restart": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Ends the processes and connections of a server, and connects to it again */
        post: operations["restart-server"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/servers/{name}/tools": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The tools of a server */
        get: operations["list-tools"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/servers/{name}/tools/approve": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Approves definitions in their present form */
        post: operations["approve-tools"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/servers/{name}/tools/block": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Blocks definitions, in their present and in later forms */
        post: operations["block-tools"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/servers/{name}/tools/{tool}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** One definition of a server, with what a scan found in it */
        get: operations["show-tool"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/servers/{name}/tools/{tool}/diff": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Where a definition differs from the form that was approved */
        get: operations["diff-tool"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/servers/{name}/unquarantine": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Ends the quarantine of a server */
        post: operations["unquarantine-server"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/sessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The live flow sessions */
        get: operations["list-sessions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/sessions/{id}/flow": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The flows of one live session */
        get: operations["session-flow"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/standing": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Whether the process that asks may take decisions in the user's name */
        get: operations["standing"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/status": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** State of the proxy and its servers */
        get: operations["status"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/tokens": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The tokens, without their plain forms */
        get: operations["list-tokens"];
        put?: never;
        /** Makes a token; only this answer has its plain form */
        post: operations["create-token"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/tokens/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Revokes a token at once */
        delete: operations["revoke-token"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/tools": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Tools of all servers, ranked for a query */
        get: operations["search-tools"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Events as they happen */
        get: operations["events"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/healthz": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Whether the process runs */
        get: operations["healthz"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/metrics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Figures for Prometheus; from this machine without a key */
        get: operations["metrics"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/openapi.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** This document */
        get: operations["openapi"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/orchestrator/run_tests": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** The same, answered without an envelope */
        post: operations["run-tests"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/readyz": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Whether calls are served and recorded */
        get: operations["readyz"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        AgentSeen: {
            agent: string;
            /** Format: date-time */
            last_event: string;
            /** Format: int64 */
            sessions: number;
        };
        Answer: {
            activity_id: string;
            /** @enum {string} */
            decision: "allow" | "ask" | "deny";
            /** @description What the hook's process prints, and its exit code */
            output: components["schemas"]["Output"];
            reason: string;
            risk_level: string;
        };
        ApprovalRule: {
            boundary: components["schemas"]["Boundary"];
            /** @description Who said so */
            by: string;
            /** @description Names the rule in commands */
            id: string;
            /** @description The request, or the activity, about which a person said always */
            request?: string;
            /** Format: date-time */
            since: string;
            /** @description The calls that it allows, in words */
            within: string;
        };
        Approvals: {
            /** Format: int64 */
            approved: number;
            /** Format: date-time */
            last: string;
            /** Format: int64 */
            machines: number;
            rule: string;
            server: string;
            tool: string;
        };
        BecauseOfBody: {
            /** @description Why, for agents and the log */
            reason?: string;
        };
        Boundary: {
            audience?: string;
            call_sha256?: string;
            data?: string[] | null;
            destinations?: string[] | null;
            effect?: string;
            moves?: components["schemas"]["Movement"][] | null;
            once?: string;
            principal: string;
            rules: string[] | null;
            run?: string;
            server_name?: string;
            tool_name: string;
        };
        Breakdown: {
            /** @description Records of this level and above */
            at_least_risk: {
                [key: string]: number;
            };
            /**
             * Format: int64
             * @description Records of calls that were stopped
             */
            blocked: number;
            /**
             * Format: int64
             * @description Length of a bucket
             */
            bucket_seconds: number;
            /** @description Over time, at most 100 */
            buckets: components["schemas"]["Bucket"][] | null;
            by_decision: components["schemas"]["Value"][] | null;
            by_flow_type: components["schemas"]["Value"][] | null;
            by_risk: {
                [key: string]: number;
            };
            by_status: {
                [key: string]: number;
            };
            by_type: components["schemas"]["Value"][] | null;
            /**
             * Format: int64
             * @description Records with secrets or personal data
             */
            sensitive: number;
            /** @description The ten most frequent kinds of sensitive data */
            top_detections: components["schemas"]["Value"][] | null;
            /** @description The ten rules that decided most often */
            top_rules: components["schemas"]["Value"][] | null;
            /** @description The ten most frequent */
            top_servers: components["schemas"]["Value"][] | null;
            /** @description The ten most frequent, as server:tool */
            top_tools: components["schemas"]["Value"][] | null;
            /** Format: int64 */
            total: number;
        };
        Bucket: {
            /** Format: int64 */
            blocked: number;
            /**
             * Format: int64
             * @description Records of risk high and above
             */
            risky: number;
            /** Format: date-time */
            start: string;
            /** Format: int64 */
            total: number;
        };
        Change: {
            approved_hash?: string;
            by: string;
            /** Format: int64 */
            count?: number;
            diff?: components["schemas"]["Difference"][] | null;
            from?: string;
            hard?: boolean;
            hash?: string;
            held?: boolean;
            kind: string;
            name?: string;
            names?: string[] | null;
            reason: string;
            server: string;
            severe?: boolean;
            /** Format: date-time */
            time: string;
            to: string;
        };
        Class: {
            can_exfiltrate: boolean;
            can_read_data: boolean;
            classification: string;
            /** Format: double */
            confidence: number;
            method: string;
            returns_untrusted: boolean;
            /** @description No rule knows the server: classification is the configured default_unknown */
            unknown?: boolean;
        };
        CodingBody: {
            /** @description The script: TypeScript or JavaScript, a function or the body of one */
            code?: string;
            /** @description Instead of code: the name of a stored script */
            script?: string;
        };
        Comparison: {
            differences: components["schemas"]["Difference"][] | null;
            /** @description Whether there is anything to compare with */
            has_approved_form: boolean;
            name: string;
            server: string;
            trust: components["schemas"]["Trust"];
        };
        Confinement: {
            /**
             * Format: int64
             * @description Version of Landlock that the kernel has; 0 for none
             */
            landlock_abi: number;
            /** @description Parts of the configured isolation that are not enforced */
            missing?: string[] | null;
            /** @description hosts if the server can reach only a list of hosts; observe if it can reach all hosts, through the same proxy */
            network?: string;
            /** @description Access that the configuration allows, and that reaches further than it may seem */
            open?: string[] | null;
            /** @description standard if the configuration selects it */
            profile?: string;
        };
        ContradictionResult: {
            action: string;
            claim1: string;
            claim2: string;
            explanation: string;
            quarantine?: boolean;
            /** Format: int64 */
            severity: number;
            signal1: string;
            signal2: string;
        };
        Count: {
            /** Format: int64 */
            calls: number;
            was: string;
            would_be: string;
        };
        Decided: {
            approved: boolean;
            /**
             * @description For how long it is approved
             * @enum {string}
             */
            for?: "once" | "session" | "always";
            id: string;
        };
        Decision: {
            /** @description Approve everything that waits, of every kind, except what a scan found dangerous */
            all?: boolean;
            /** @description Hash of the form to approve, or its beginning: if the definition now has another form, nothing is approved */
            hash?: string;
            /**
             * @description Kind of definition; tool when empty
             * @enum {string}
             */
            kind?: "tool" | "prompt" | "instructions" | "program";
            /** @description Approve everything that is new, of every kind, except what a scan found dangerous */
            new?: boolean;
            /** @description Why, for the log */
            reason?: string;
            /** @description Names, or the beginnings of hashes */
            tools?: string[] | null;
        };
        DecisionAboutBody: {
            /** @description Whether the call may pass */
            approve: boolean;
            /**
             * @description For this call, for everything within the boundary of the request in this session, or always; once when absent
             * @enum {string}
             */
            for?: "once" | "session" | "always";
            /** @description The id of the request */
            id: string;
        };
        Declared: {
            approved_definition?: unknown;
            classification: components["schemas"]["Class"];
            definition: unknown;
            description: string;
            fingerprint: components["schemas"]["Fingerprint"];
            input_schema?: unknown;
            name: string;
            operation: string;
            /** Format: double */
            score?: number;
            server: string;
            /** @description State of the definition, in the list of one server */
            trust?: components["schemas"]["Trust"];
        };
        Destination: {
            from?: components["schemas"]["Origin"];
            home?: boolean;
            kind: string;
            location?: string;
            source: string;
            value: string;
        };
        Detection: {
            category: string;
            /** Format: double */
            confidence?: number;
            is_likely_example?: boolean;
            location: string;
            sample?: string;
            severity: string;
            type: string;
        };
        Diagnostics: {
            activity_log: components["schemas"]["LogState"];
            /** @description The agents whose hooks are active */
            agents: components["schemas"]["AgentSeen"][] | null;
            /** @description Whether an agent's hook has sent an event within the last 30 minutes */
            hooks_active: boolean;
            /** @description What the user could do; empty when there is nothing */
            recommendations: components["schemas"]["Recommendation"][] | null;
            /** @description proxy_only, or full when agent hooks are active */
            security_coverage: string;
            servers: components["schemas"]["Status"][] | null;
        };
        Dictation: {
            aims?: boolean;
            asks?: boolean;
            /** Format: int64 */
            carried?: number;
            delegated?: boolean;
            field?: boolean;
            from: components["schemas"]["Origin"];
            known?: boolean;
            pointed?: boolean;
            /** Format: double */
            share: number;
            strange?: boolean;
            values?: string[] | null;
            vouched?: boolean;
        };
        Difference: {
            after?: string;
            before?: string;
            change: string;
            part: string;
            path: string;
        };
        Edge: {
            beside?: boolean;
            /** Format: double */
            bits?: number;
            /** Format: int64 */
            bytes: number;
            /** Format: double */
            confidence: number;
            decoded?: string;
            destination_source?: string;
            /** Format: int64 */
            end?: number;
            evidence?: string;
            fetched?: boolean;
            flow_type: string;
            from: components["schemas"]["Origin"];
            location?: string;
            match: string;
            own_audience?: boolean;
            risk_level: string;
            sensitive?: string[] | null;
            /** Format: int64 */
            start?: number;
            to: string;
            to_classification: string;
        };
        EnvelopeApprovalRule: {
            data: components["schemas"]["ApprovalRule"];
            /** @description true */
            success: boolean;
        };
        EnvelopeBreakdown: {
            data: components["schemas"]["Breakdown"];
            /** @description true */
            success: boolean;
        };
        EnvelopeChange: {
            data: components["schemas"]["Change"];
            /** @description true */
            success: boolean;
        };
        EnvelopeComparison: {
            data: components["schemas"]["Comparison"];
            /** @description true */
            success: boolean;
        };
        EnvelopeDecided: {
            data: components["schemas"]["Decided"];
            /** @description true */
            success: boolean;
        };
        EnvelopeDeclared: {
            data: components["schemas"]["Declared"];
            /** @description true */
            success: boolean;
        };
        EnvelopeDiagnostics: {
            data: components["schemas"]["Diagnostics"];
            /** @description true */
            success: boolean;
        };
        EnvelopeExplanation: {
            data: components["schemas"]["Explanation"];
            /** @description true */
            success: boolean;
        };
        EnvelopeFleetView: {
            data: components["schemas"]["FleetView"];
            /** @description true */
            success: boolean;
        };
        EnvelopeHomeChange: {
            data: components["schemas"]["HomeChange"];
            /** @description true */
            success: boolean;
        };
        EnvelopeKillState: {
            data: components["schemas"]["KillState"];
            /** @description true */
            success: boolean;
        };
        EnvelopeListApprovalRule: {
            data: components["schemas"]["ApprovalRule"][] | null;
            /** @description true */
            success: boolean;
        };
        EnvelopeListHomeEntry: {
            data: components["schemas"]["HomeEntry"][] | null;
            /** @description true */
            success: boolean;
        };
        EnvelopeListLogLine: {
            data: components["schemas"]["LogLine"][] | null;
            /** @description true */
            success: boolean;
        };
        EnvelopeListRequest: {
            data: components["schemas"]["Request"][] | null;
            /** @description true */
            success: boolean;
        };
        EnvelopeListServer: {
            data: components["schemas"]["Server"][] | null;
            /** @description true */
            success: boolean;
        };
        EnvelopeListSession: {
            data: components["schemas"]["Session"][] | null;
            /** @description true */
            success: boolean;
        };
        EnvelopeListSuggestion: {
            data: components["schemas"]["Suggestion"][] | null;
            /** @description true */
            success: boolean;
        };
        EnvelopeListToken: {
            data: components["schemas"]["Token"][] | null;
            /** @description true */
            success: boolean;
        };
        EnvelopeListTool: {
            data: components["schemas"]["Tool"][] | null;
            /** @description true */
            success: boolean;
        };
        EnvelopeListValue: {
            data: components["schemas"]["Value"][] | null;
            /** @description true */
            success: boolean;
        };
        EnvelopeLoggedOut: {
            data: components["schemas"]["LoggedOut"];
            /** @description true */
            success: boolean;
        };
        EnvelopeLoginCode: {
            data: components["schemas"]["LoginCode"];
            /** @description true */
            success: boolean;
        };
        EnvelopeMadeToken: {
            data: components["schemas"]["MadeToken"];
            /** @description true */
            success: boolean;
        };
        EnvelopeOverview: {
            data: components["schemas"]["Overview"];
            /** @description true */
            success: boolean;
        };
        EnvelopePage: {
            data: components["schemas"]["Page"];
            /** @description true */
            success: boolean;
        };
        EnvelopePageSession: {
            data: components["schemas"]["PageSession"];
            /** @description true */
            success: boolean;
        };
        EnvelopeProbeReport: {
            data: components["schemas"]["ProbeReport"];
            /** @description true */
            success: boolean;
        };
        EnvelopeRan: {
            data: components["schemas"]["Ran"];
            /** @description true */
            success: boolean;
        };
        EnvelopeRecord: {
            data: components["schemas"]["Record"];
            /** @description true */
            success: boolean;
        };
        EnvelopeRestarted: {
            data: components["schemas"]["Restarted"];
            /** @description true */
            success: boolean;
        };
        EnvelopeRevoked: {
            data: components["schemas"]["Revoked"];
            /** @description true */
            success: boolean;
        };
        EnvelopeSessionFlow: {
            data: components["schemas"]["SessionFlow"];
            /** @description true */
            success: boolean;
        };
        EnvelopeSignInWays: {
            data: components["schemas"]["SignInWays"];
            /** @description true */
            success: boolean;
        };
        EnvelopeStanding: {
            data: components["schemas"]["Standing"];
            /** @description true */
            success: boolean;
        };
        EnvelopeSweep: {
            data: components["schemas"]["Sweep"];
            /** @description true */
            success: boolean;
        };
        Explanation: {
            activity_id: string;
            /** @description Configuration that would have allowed the call, to be merged into the file */
            allow_with?: string;
            /** @description Other rules that would have stopped it */
            also?: string[] | null;
            /** @description What a human can run to approve for always what was asked about */
            apply?: string;
            decision: string;
            /** @description What was known about the call, one fact a sentence: what was asked for, where it goes, who can see it */
            in_words?: string[] | null;
            /** @description What that configuration means, or what helps in its place */
            meaning: string;
            reason: string;
            record: components["schemas"]["Record"];
            /** @description What the band of the score asks for */
            risk_action: string;
            /** @description What the score is made of */
            risk_parts: components["schemas"]["Part"][] | null;
            rule: string;
            /** @description What a human can run to allow the call */
            run?: string;
            /** @description What that approval would let through, in words */
            within?: string;
        };
        Failure: {
            /** @description What is wrong, and what to do */
            error: string;
            request_id: string;
            /** @description false */
            success: boolean;
        };
        Fault: {
            code: string;
            error: string;
            /** Format: date-time */
            time: string;
        };
        Finding: {
            /** Format: double */
            confidence: number;
            hard: boolean;
            kind: string;
            name?: string;
            server: string;
            severity: string;
            signals: components["schemas"]["Observed"][] | null;
            threat_type: string;
        };
        Fingerprint: {
            annotations_hash: string;
            combined_hash: string;
            description_hash: string;
            kind: string;
            other_hash: string;
            output_schema_hash: string;
            schema_hash: string;
            server_name: string;
            title_hash: string;
            tool_name: string;
        };
        FleetMachine: {
            /** Format: date-time */
            enrolled: string;
            id: string;
            /** Format: date-time */
            last?: string;
            name: string;
            /** Format: int64 */
            records: number;
            /** Format: date-time */
            revoked?: string;
            /** Format: date-time */
            seen: string;
            /** @enum {string} */
            state: "sends" | "quiet" | "revoked";
            version: string;
        };
        FleetView: {
            /** @description Tools whose calls people approved often in the last 30 days: candidates for the next bundle */
            approvals: components["schemas"]["Approvals"][] | null;
            /** @description All machines, those that have been quiet for the longest time first */
            machines: components["schemas"]["FleetMachine"][] | null;
            /** @description Tools that were first called in the last 7 days, the newest first */
            new_tools: components["schemas"]["Sighting"][] | null;
        };
        Floating: {
            /** @description As the command names it */
            package: string;
            /** @description With the version that runs, or a placeholder for it, a digest or a commit */
            pinned: string;
        };
        Gap: {
            /** Format: date-time */
            from: string;
            /** Format: int64 */
            lost: number;
            reason: string;
            /** Format: date-time */
            to: string;
        };
        HomeChange: {
            /** @description The entry as it is now, or as it was before it was removed */
            entry: components["schemas"]["HomeEntry"];
            /** @enum {string} */
            event: "added" | "confirmed" | "rejected" | "removed";
        };
        HomeDecision: {
            /**
             * @description What to do with the entry
             * @enum {string}
             */
            action: "add" | "remove" | "confirm" | "reject";
            /** @description A domain, an address, an owner or a repository, or kind:value */
            entry: string;
        };
        HomeEntry: {
            /** @description Who added, confirmed or rejected it */
            by?: string;
            /** @description Whether what it names counts as home */
            counts: boolean;
            /** @description Why it does not count as home until it is confirmed */
            doubt?: string;
            /** Format: date-time */
            first_seen?: string;
            /** @description The folder, or the server and tool, that it was learned from */
            from?: string;
            /** @enum {string} */
            kind: "domain" | "address" | "repository" | "owner" | "account" | "workspace";
            /** @description The entry as people write it, such as github.com/acme or workspace:t0123 */
            name: string;
            /** @description Where it comes from: configuration, user, git remote, git user, server URL, own account */
            source: string;
            /** @enum {string} */
            state: "learned" | "confirmed" | "rejected";
            /** @description In the form in which entries are compared: lower case, no scheme, no .git */
            value: string;
        };
        Intent: {
            data_sensitivity?: string;
            destination_type?: string;
            justification?: string;
            operation?: string;
            reason?: string;
        };
        KeptAfterwardsBody: {
            /** @description The call that was asked about, or the request */
            activity_id: string;
        };
        Key: {
            kind: string;
            name?: string;
            server: string;
        };
        KillState: {
            /** @description Who turned it on, as far as it can be told */
            by?: string;
            /** @description Whether the configuration turns it on (security.kill_switch); then only a change of the file turns it off */
            configured: boolean;
            /** @description Whether every call is denied */
            on: boolean;
            /** Format: date-time */
            since?: string;
        };
        KillingBody: {
            /** @description Whether every call is to be denied */
            on: boolean;
        };
        Leg: {
            call_id: string;
            name: string;
            /** Format: date-time */
            time: string;
        };
        LegCounts: {
            /**
             * Format: int64
             * @description Sessions of private_and_untrusted that have also sent something out
             */
            all_three: number;
            /**
             * Format: int64
             * @description Sessions that have sent something out
             */
            external_send: number;
            /**
             * Format: int64
             * @description Those of untrusted_content in which the text includes an instruction to the agent
             */
            injected_instruction: number;
            /**
             * Format: int64
             * @description Sessions that have read both private data and strangers' text
             */
            private_and_untrusted: number;
            /**
             * Format: int64
             * @description Sessions that have read private data
             */
            private_data: number;
            /**
             * Format: int64
             * @description Those of private_data in which the data includes secrets
             */
            sensitive_data: number;
            /**
             * Format: int64
             * @description All live sessions
             */
            sessions: number;
            /**
             * Format: int64
             * @description Sessions that have read text written by strangers
             */
            untrusted_content: number;
        };
        Legs: {
            external_send?: components["schemas"]["Leg"];
            injected_instruction?: components["schemas"]["Leg"];
            private_data?: components["schemas"]["Leg"];
            sensitive_data?: components["schemas"]["Leg"];
            untrusted_content?: components["schemas"]["Leg"];
        };
        LogFacts: {
            /** @description Why no records are removed by age at present: the clock may be wrong */
            age_held?: string;
            /**
             * Format: int64
             * @description Size on disk, including data that is not in the main file yet
             */
            bytes: number;
            /** @description Why the log cannot be written; absent while it can */
            failure?: components["schemas"]["LogFailure"];
            /**
             * Format: int64
             * @description Records that could not be written since the daemon was started
             */
            lost: number;
            /** Format: int64 */
            max_records: number;
            /** Format: int64 */
            max_size_mb: number;
            /** Format: int64 */
            retention_days: number;
        };
        LogFailure: {
            /** @description Whether every call is denied meanwhile (activity.on_failure) */
            denies: boolean;
            error: string;
            /**
             * Format: int64
             * @description Records that this failure has lost
             */
            lost: number;
            /**
             * Format: date-time
             * @description Time of the earliest lost record
             */
            since: string;
        };
        LogLine: {
            text: string;
            /** Format: date-time */
            time: string;
        };
        LogState: {
            error?: string;
            readable: boolean;
            /** Format: int64 */
            records: number;
        };
        LoggedOut: {
            /** @description Whether there was a session */
            ended: boolean;
            /** @description Where the person can log out at the identity provider, too */
            provider_logout?: string;
        };
        LoginCode: {
            /** @description Code for the fragment of the page's address: /ui/#login=CODE */
            code: string;
            /** Format: date-time */
            expires: string;
            /** @description The page's address with the code */
            url: string;
        };
        Loss: {
            record: string;
            /** Format: date-time */
            time: string;
            /** Format: date-time */
            until?: string;
        };
        MadeToken: {
            /** Format: date-time */
            created: string;
            expired: boolean;
            /**
             * Format: date-time
             * @description Time of expiry; absent if it never expires
             */
            expires?: string;
            /**
             * Format: date-time
             * @description Time of the last use, to the hour; absent if it was never used
             */
            last_used?: string;
            /** @description The principal of its bearer's calls */
            name: string;
            /** @description What calls may do; everything when empty */
            operations: string[] | null;
            /** @enum {string} */
            role: "agent" | "auditor";
            /** @description Servers of which it may use all tools */
            servers: string[] | null;
            /** @description The token itself; only this answer contains it */
            token: string;
            /** @description Tools of other servers that it may use, as server:tool; all tools if there are no servers either */
            tools: string[] | null;
        };
        Metadata: {
            agent?: components["schemas"]["SessionAgent"];
            approval?: string;
            audience?: string;
            boundary?: components["schemas"]["Boundary"];
            classification?: components["schemas"]["Class"];
            contradictions?: components["schemas"]["ContradictionResult"][] | null;
            destinations?: components["schemas"]["Destination"][] | null;
            detail?: {
                [key: string]: unknown;
            };
            dictation?: components["schemas"]["Dictation"];
            effect?: string;
            endpoint?: string;
            error_redacted?: boolean;
            flagged?: boolean;
            flow_edges?: components["schemas"]["Edge"][] | null;
            /** Format: double */
            inspection_ms?: number;
            intent?: components["schemas"]["Intent"];
            kind?: string;
            legs?: components["schemas"]["Legs"];
            operation?: string;
            parent_span_id?: string;
            personal_masked?: boolean;
            reason?: string;
            remembered?: string;
            ruled?: components["schemas"]["Ruled"];
            secrets?: components["schemas"]["Secret"][] | null;
            sensitive_data_detection?: components["schemas"]["SensitiveData"];
            server_trace_id?: string;
            signals?: components["schemas"]["Signal"][] | null;
            wish?: string;
        };
        Move: {
            beside?: boolean;
            /** Format: double */
            bits?: number;
            /** Format: int64 */
            bytes: number;
            call_id: string;
            /** Format: double */
            confidence: number;
            decoded?: string;
            destination_source?: string;
            /** Format: int64 */
            end?: number;
            evidence?: string;
            fetched?: boolean;
            flow_type: string;
            from: components["schemas"]["Origin"];
            location?: string;
            match: string;
            own_audience?: boolean;
            risk_level: string;
            sensitive?: string[] | null;
            /** Format: int64 */
            start?: number;
            /** Format: date-time */
            time: string;
            to: string;
            to_classification: string;
            tool: string;
        };
        Movement: {
            to: string;
            what: string;
        };
        NewToken: {
            /**
             * @description 30d, 12h, 2027-01-31, an RFC 3339 time, or never; 90d when empty
             * @example 30d
             */
            expires?: string;
            /**
             * @description Its name, and the principal of its bearer's calls
             * @example ci
             */
            name: string;
            /** @description read, write, destructive; all when empty */
            operations?: string[] | null;
            /**
             * @description agent when empty
             * @enum {string}
             */
            role?: "agent" | "auditor";
            /** @description Servers of which it may use all tools */
            servers?: string[] | null;
            /** @description Tools that it may use, as server:tool */
            tools?: string[] | null;
        };
        Observed: {
            check_id: string;
            detail: string;
            evidence?: string;
            location?: string;
        };
        Origin: {
            call_id: string;
            classification: string;
            confidential?: boolean;
            dictated?: boolean;
            injected?: boolean;
            sensitive?: string[] | null;
            server?: string;
            /** Format: date-time */
            time: string;
            tool: string;
            untrusted?: boolean;
        };
        Output: {
            /** Format: int64 */
            exit_code: number;
            stderr?: string;
            stdout: string;
        };
        Overview: {
            /** @description The agents whose hooks are active */
            agents: components["schemas"]["AgentSeen"][] | null;
            /** @description Outcomes of alerts to the webhook */
            alerts?: components["schemas"]["Webhook"];
            /**
             * Format: int64
             * @description Questions about calls that wait for an answer
             */
            approvals_pending: number;
            /** @description Why the present file cannot be used; the configuration that was read before is in force */
            config_error?: string;
            /** @description Empty when there is none */
            config_file: string;
            /**
             * Format: date-time
             * @description When the configuration that is in force was read
             */
            config_read: string;
            /**
             * Format: int64
             * @description Open streams of /events
             */
            event_readers: number;
            /** @description Outcomes of records for collectors and syslog */
            exports?: components["schemas"]["Target"][] | null;
            flow_legs: components["schemas"]["LegCounts"];
            /** Format: int64 */
            flow_sessions: number;
            /**
             * Format: int64
             * @description Sessions whose record of earlier results was lost: their calls to external destinations are treated as if they carried internal data
             */
            flow_sessions_lost: number;
            hooks_active: boolean;
            /** @description Whether it takes the records of other machines */
            hub: boolean;
            /** @description Keys that are set and have no effect in this version */
            idle_keys: string[] | null;
            kill_switch: components["schemas"]["KillState"];
            listen: string;
            log: components["schemas"]["LogFacts"];
            /** Format: int64 */
            mcp_sessions: number;
            /** @description The last time within a day in which the daemon did not run: it was killed or frozen, or it was stopped where hooks are installed. What happened meanwhile is not known */
            outage?: components["schemas"]["Gap"];
            /** Format: int64 */
            records: number;
            /** @description Whether agents need a key */
            require_mcp_auth: boolean;
            /** @description proxy_only, or full when agent hooks are active */
            security_coverage: string;
            servers: components["schemas"]["Status"][] | null;
            servers_by_state: {
                [key: string]: number;
            };
            /** @description Tool names that several servers use: only the server's name distinguishes these tools */
            shared_names?: components["schemas"]["SharedName"][] | null;
            /** @description How far the activity log was sent to the hub; absent on a machine that is enrolled at none */
            ship?: components["schemas"]["Shipping"];
            /** @description How far the activity log was sent to the bucket of ship.bucket; absent where that is empty */
            ship_bucket?: components["schemas"]["Shipping"];
            /** Format: date-time */
            started: string;
            /** @description Why the state store that the replicas share cannot be used; absent while it can */
            state_failure?: components["schemas"]["StateFailure"];
            tokens: components["schemas"]["TokenCounts"];
            /**
             * Format: int64
             * @description Tools that agents can find and call
             */
            tools: number;
            /** @description State of the servers' definitions */
            trust: components["schemas"]["Tally"];
            /** @description Overrides that match nothing, because the server has no such tool */
            unmatched_overrides?: string[] | null;
            /** @description The last time within a day in which agents' hooks got no answer and let calls pass */
            unseen?: components["schemas"]["Gap"];
            /** Format: double */
            uptime_seconds: number;
            version: string;
        };
        Page: {
            activities: components["schemas"]["Record"][] | null;
            /** Format: int64 */
            limit: number;
            /** @description Cursor of the next page */
            next_cursor?: string;
            /** Format: int64 */
            offset: number;
            /** @description What calls of agents' own tools ran or used: the beginning of the command, or the file, the address or what was searched for, by the id of the record */
            ran?: {
                [key: string]: string;
            };
            /**
             * Format: int64
             * @description Records that match, on all pages
             */
            total: number;
            /** @description Whether there may be more than total: beyond 10,000, records of one session, request, parent or time are not always counted to the end */
            total_is_at_least?: boolean;
        };
        PageSession: {
            /**
             * Format: int64
             * @description After this long without a request the session ends
             */
            idle_seconds: number;
            /** @description The person's name in records; absent for the owner */
            name?: string;
            /** @description To be sent as X-Mcpproxy-Page with every request; the cookie alone opens nothing */
            page_secret: string;
            /**
             * @description An owner decides everything, an auditor nothing
             * @enum {string}
             */
            role: "owner" | "auditor";
        };
        Part: {
            capped?: boolean;
            /** @description It adds nothing: the sensitive data stays inside */
            inside?: boolean;
            kind: string;
            /** Format: double */
            points: number;
            source: string;
            /** Format: double */
            weight: number;
            within?: string;
        };
        ProbeOptions: {
            /** @description Also call tools that write or look destructive */
            allow_destructive?: boolean;
            /** @description T1 accepts any answer to injected instructions */
            allow_injection_test?: boolean;
            /** @description The only tools that may be called; names one that writes to allow it */
            allowed_tools?: string[] | null;
            /** @description Tools that are never called */
            blocked_tools?: string[] | null;
            /**
             * Format: int64
             * @description Timeout of one answer, including the first answer and the lists; 10,000 when absent, and longer for the first answer of a program that must be fetched first
             */
            call_timeout_ms?: number;
            /**
             * Format: int64
             * @description Calls of T5; 10 when absent
             */
            latency_test_calls?: number;
            /**
             * Format: int64
             * @description Maximum number of messages; 600 when absent
             */
            max_calls?: number;
            /** @description Tools that must be refused: T3 calls them, without arguments, unless they are blocked or look destructive */
            out_of_scope_tools?: string[] | null;
            /**
             * Format: int64
             * @description The number from which names and markers are generated; 1 when absent
             */
            seed?: number;
        };
        ProbePlanned: {
            /** Format: int64 */
            count: number;
            method: string;
            test: string;
            tool?: string;
        };
        ProbeReport: {
            activity_id?: string;
            /** Format: double */
            duration_ms: number;
            options?: components["schemas"]["ProbeOptions"];
            partial: boolean;
            partial_reason?: string;
            passed: boolean | null;
            planned?: components["schemas"]["ProbePlanned"][] | null;
            protocol_version?: string;
            results: components["schemas"]["ProbeResult"][] | null;
            server?: string;
            skipped_suites?: components["schemas"]["ProbeSkippedSuite"][] | null;
            /** Format: date-time */
            started?: string;
            summary: components["schemas"]["ProbeSummary"];
            target: string;
            thresholds?: components["schemas"]["ProbeThresholds"];
            tools?: components["schemas"]["ProbeToolUse"][] | null;
            transport?: string;
        };
        ProbeRequest: {
            /** @description Streamable HTTP or SSE; the owner may name any address but link-local ones and those of cloud metadata */
            mcp_server_url?: string;
            /** @description Accepted and ignored */
            model?: string;
            options?: components["schemas"]["ProbeRequestOptionsStruct"];
            /** @description Accepted and ignored: no language model takes part */
            provider?: string;
            /** @description Name of a configured server, in the place of a URL */
            server?: string;
            /** @description mcp_security (the default), mcp_robustness, all; others are skipped */
            suites?: string[] | null;
            /** @description mcp (the default); in other modes the suites are skipped */
            target_mode?: string;
            /** @description Only these tests, such as T1 */
            tests?: string[] | null;
            thresholds?: components["schemas"]["ProbeRequestThresholdsStruct"];
            /** @description Reach the configured server as agents do */
            through_proxy?: boolean;
            /**
             * Format: int64
             * @description How long the run may take; 300 when absent
             */
            timeout_secs?: number;
        };
        ProbeRequestOptionsStruct: {
            mcp?: components["schemas"]["ProbeOptions"];
        };
        ProbeRequestThresholdsStruct: {
            mcp?: components["schemas"]["ProbeThresholds"];
        };
        ProbeResult: {
            /** Format: int64 */
            attempts: number;
            details?: unknown;
            error_code?: string;
            error_message?: string;
            failure_reason?: string;
            fix?: string;
            id: string;
            /** Format: double */
            latency_ms: number;
            name: string;
            notes?: string[] | null;
            outcome: string;
            passed: boolean | null;
            skip_reason?: string;
            suite: string;
            tools: string[] | null;
        };
        ProbeSecuritySummary: {
            /** Format: int64 */
            max_p95_ms: number;
            out_of_scope_denied: boolean | null;
            /** Format: int64 */
            p95_latency_ms: number | null;
            /** Format: double */
            pass_rate: number;
            /** Format: int64 */
            passed: number;
            schema_stable: boolean | null;
            /** Format: int64 */
            security_passed: number;
            /** Format: int64 */
            security_tests: number;
            /** Format: int64 */
            skipped: number;
            slo_met: boolean | null;
            thresholds_met: components["schemas"]["SecuritySummaryThresholdsMetStruct"];
            /** Format: int64 */
            total: number;
        };
        ProbeSkippedSuite: {
            reason: string;
            suite: string;
        };
        ProbeSuiteSummary: {
            /** Format: double */
            pass_rate: number;
            /** Format: int64 */
            passed: number;
            /** Format: int64 */
            skipped: number;
            /** Format: int64 */
            total: number;
        };
        ProbeSummary: {
            mcp_robustness?: components["schemas"]["ProbeSuiteSummary"];
            mcp_security?: components["schemas"]["ProbeSecuritySummary"];
        };
        ProbeThresholds: {
            /** @description T3 fails when something out of scope is answered; true when absent */
            deny_out_of_scope?: boolean;
            /**
             * Format: int64
             * @description Highest 95th percentile of latency, in milliseconds; 2000 when absent
             */
            max_p95_ms?: number;
            /** @description T2 fails on drift; true when absent */
            require_schema_stability?: boolean;
        };
        ProbeToolUse: {
            callable: boolean;
            name: string;
            operation: string;
            why?: string;
        };
        Ran: {
            /** @description The script's record; its calls name it as their parent */
            activity_id: string;
            decision: string;
            /** @description result or error, console, tool_calls and duration_ms */
            outcome?: unknown;
            /** @description Why it was stopped, if it was */
            reason?: string;
        };
        Recommendation: {
            command?: string;
            id: string;
            message: string;
            why: string;
        };
        Record: {
            arguments?: unknown;
            coverage_mode?: string;
            decision?: string;
            /** Format: double */
            duration_ms: number;
            error_message?: string;
            flow_session_id?: string;
            flow_type?: string;
            hash?: string;
            id: string;
            metadata: components["schemas"]["Metadata"];
            parent_id?: string;
            prev_hash?: string;
            principal?: string;
            redacted?: boolean;
            request_id?: string;
            response?: unknown;
            response_truncated?: boolean;
            risk_level?: string;
            /** Format: int64 */
            risk_score: number;
            rule?: string;
            server_name?: string;
            session_id?: string;
            source: string;
            span_id?: string;
            status: string;
            /** Format: date-time */
            timestamp: string;
            tool_name?: string;
            trace_id?: string;
            type: string;
        };
        Request: {
            /** @description Of the call, or of the hook's evaluation */
            activity_id: string;
            /** @description Whose call it is; missing if that is not known */
            agent?: components["schemas"]["SessionAgent"];
            /** @description Whether it is approved, and the call has not come again yet */
            approved: boolean;
            /** @description The arguments, masked and shortened */
            arguments: string;
            arguments_sha256: string;
            /** Format: date-time */
            asked: string;
            /** @description What an answer holds for when it is remembered */
            boundary?: components["schemas"]["Boundary"];
            /**
             * @description Who is asked: the client's user, whoever looks at this list, or the user of the agent's own prompt
             * @enum {string}
             */
            channel: "elicitation" | "queue" | "agent";
            /** @description Categories of the sensitive data that the call carries */
            data: string[] | null;
            /** @description Where the call sends something, and who chose that */
            destinations: components["schemas"]["Destination"][] | null;
            /** Format: date-time */
            expires: string;
            flow_session_id?: string;
            /** @description Names the request in commands */
            id: string;
            /** @description What is known about the call, one fact a sentence: what was asked for, where it goes, who can see it */
            in_words: string[] | null;
            kind: string;
            /** @description For how long a person can agree */
            offers: string[] | null;
            operation?: string;
            /** @description The results that data of the call comes from */
            origins: components["schemas"]["Origin"][] | null;
            policy: string;
            principal: string;
            /** @description What a call of an agent's own tool runs or uses: the beginning of the command, or the file, the address or what is searched for, masked */
            ran?: string;
            reason: string;
            risk_level: string;
            /** Format: int64 */
            risk_score: number;
            rule: string;
            server_name?: string;
            session_id?: string;
            /** @description What a person is shown */
            text: string;
            tool_name: string;
        };
        Restarted: {
            server: string;
        };
        Revoked: {
            revoked: string;
        };
        Ruled: {
            also?: string[] | null;
            bundle?: string;
            decision: string;
            rule?: string;
        };
        Secret: {
            audience: string;
            category: string;
            evidence?: string;
            home?: string[] | null;
            kind: string;
            location?: string;
            to?: string[] | null;
        };
        SecuritySummaryThresholdsMetStruct: {
            latency: boolean | null;
            schema_stability: boolean | null;
            scope_enforcement: boolean | null;
        };
        SensitiveData: {
            detected: boolean;
            detections?: components["schemas"]["Detection"][] | null;
            /** Format: double */
            scan_duration_ms: number;
            truncated?: boolean;
        };
        Server: {
            /** @description closed, open or half_open; absent where the breaker is off */
            breaker?: string;
            classification: components["schemas"]["Class"];
            error?: string;
            /**
             * Format: int64
             * @description Calls and attempts to connect at which the server failed, since mcpproxy started
             */
            faults: number;
            /**
             * Format: int64
             * @description Definitions that agents can neither see nor use
             */
            held: number;
            /**
             * Format: int64
             * @description Calls under way
             */
            in_flight: number;
            /** @description How a stdio server is confined; absent when it is not */
            isolation?: components["schemas"]["Confinement"];
            last_fault?: components["schemas"]["Fault"];
            /** @description Command for the login, if the server cannot be used without one */
            login?: string;
            name: string;
            /** Format: date-time */
            next_retry?: string;
            /** @description Absolute path of a stdio server's program, as it was last started */
            program?: string;
            protocol: string;
            protocol_version?: string;
            /** @description Why the whole server is held, when it is */
            quarantine?: components["schemas"]["ServerState"];
            /**
             * Format: int64
             * @description Calls that wait for their turn
             */
            queued: number;
            /** Format: date-time */
            since: string;
            state: string;
            /** Format: int64 */
            tools: number;
            /** @description Keys of isolation that a changed configuration loosens; they take effect when mcpproxy is restarted */
            unconfirmed?: string[] | null;
            /** @description A package that a stdio server's command fetches without a fixed version; absent when there is none */
            unpinned?: components["schemas"]["Floating"];
        };
        ServerState: {
            by: string;
            reason: string;
            /** Format: date-time */
            since: string;
        };
        Session: {
            agent?: components["schemas"]["SessionAgent"];
            destinations: {
                [key: string]: number;
            };
            /** Format: double */
            duration_seconds: number;
            /** Format: int64 */
            evicted_bytes: number;
            /** Format: int64 */
            evicted_origins: number;
            flow_types: {
                [key: string]: number;
            };
            id: string;
            /** Format: date-time */
            last_activity: string;
            legs: components["schemas"]["Legs"];
            linked_mcp_sessions: string[] | null;
            /** Format: int64 */
            memory_bytes: number;
            origins_unknown?: components["schemas"]["Loss"];
            risk_levels: {
                [key: string]: number;
            };
            /** Format: date-time */
            started: string;
            tools: string[] | null;
            /** Format: int64 */
            total_edges: number;
            /** Format: int64 */
            total_origins: number;
        };
        SessionAgent: {
            /** @description Whether name and folder are only what an MCP client says about itself */
            claimed?: boolean;
            /** @description The agent's working directory, masked; ~ is the home of the user who runs mcpproxy */
            folder?: string;
            /** @description The agent, such as claude-code; over MCP the name that the client gives itself */
            name?: string;
        };
        SessionFlow: {
            destinations: components["schemas"]["Destination"][] | null;
            edges: components["schemas"]["Move"][] | null;
            id: string;
            origins: components["schemas"]["Origin"][] | null;
            summary: components["schemas"]["Summary"];
        };
        SharedName: {
            name: string;
            servers: string[] | null;
        };
        Shipping: {
            /** @description Whether many records wait, or some have waited for long */
            behind: boolean;
            /** @description Why nothing can be sent now; absent while records can be sent */
            error?: string;
            /** @description The address of the hub or the bucket */
            hub?: string;
            /**
             * Format: date-time
             * @description When it confirmed records last
             */
            last?: string;
            /**
             * Format: int64
             * @description Number of the last record that was received there
             */
            sent: number;
            /**
             * Format: date-time
             * @description Since when nothing can be sent
             */
            since?: string;
            /**
             * Format: int64
             * @description Records that were not received there yet
             */
            unsent: number;
        };
        Sighting: {
            by: string;
            /** Format: int64 */
            calls: number;
            /** Format: date-time */
            first: string;
            /** Format: int64 */
            machines: number;
            new_server: boolean;
            server: string;
            tool: string;
        };
        SignInProvider: {
            /** @description What people know it by */
            name: string;
            /** @description Address of the page at which the login begins */
            page: string;
        };
        SignInWays: {
            /** @description The company's identity provider, where people can log in with it */
            provider?: components["schemas"]["SignInProvider"];
        };
        Signal: {
            category: string;
            /** Format: double */
            confidence: number;
            evidence?: string;
            is_likely_example?: boolean;
            kind: string;
            location?: string;
            said?: boolean;
            severity: string;
            source: string;
            suppressed?: boolean;
        };
        SimulatedChange: {
            activity_id: string;
            reason?: string;
            rule?: string;
            server?: string;
            /** Format: date-time */
            time: string;
            tool: string;
            was: string;
            was_rule?: string;
            would_be: string;
        };
        Simulation: {
            /** Format: int64 */
            calls: number;
            /** Format: int64 */
            changed: number;
            /** @description Calls that would have been decided differently, newest first */
            changes: components["schemas"]["SimulatedChange"][] | null;
            /** Format: int64 */
            masked: number;
            notes: string[] | null;
            table: components["schemas"]["Count"][] | null;
            /** Format: int64 */
            undecided: number;
        };
        Skip: {
            kind: string;
            name?: string;
            server: string;
            why: string;
        };
        Span: {
            /**
             * @description For this call, for everything within the boundary of the request in this session, or always; once when absent
             * @enum {string}
             */
            for?: "once" | "session" | "always";
        };
        Standing: {
            may_decide: boolean;
            /** @description Why it may not */
            reason?: string;
        };
        StateFailure: {
            /** @description Whether every call is denied meanwhile (state.on_outage) */
            denies: boolean;
            /** @description The error, and its effect on calls */
            error: string;
            /** Format: date-time */
            since: string;
        };
        Status: {
            /** @description closed, open or half_open; absent where the breaker is off */
            breaker?: string;
            error?: string;
            /**
             * Format: int64
             * @description Calls and attempts to connect at which the server failed, since mcpproxy started
             */
            faults: number;
            /**
             * Format: int64
             * @description Calls under way
             */
            in_flight: number;
            /** @description How a stdio server is confined; absent when it is not */
            isolation?: components["schemas"]["Confinement"];
            last_fault?: components["schemas"]["Fault"];
            /** @description Command for the login, if the server cannot be used without one */
            login?: string;
            name: string;
            /** Format: date-time */
            next_retry?: string;
            /** @description Absolute path of a stdio server's program, as it was last started */
            program?: string;
            protocol: string;
            protocol_version?: string;
            /**
             * Format: int64
             * @description Calls that wait for their turn
             */
            queued: number;
            /** Format: date-time */
            since: string;
            state: string;
            /** @description Keys of isolation that a changed configuration loosens; they take effect when mcpproxy is restarted */
            unconfirmed?: string[] | null;
            /** @description A package that a stdio server's command fetches without a fixed version; absent when there is none */
            unpinned?: components["schemas"]["Floating"];
        };
        Suggestion: {
            /** Format: int64 */
            approved?: number;
            /** Format: int64 */
            asked?: number;
            config?: unknown;
            kind: string;
            rule?: string;
            /** @description What a person can run to allow exactly what was always approved */
            run?: string;
            server?: string;
            text: string;
            tool?: string;
        };
        Summary: {
            agent?: components["schemas"]["SessionAgent"];
            destinations: {
                [key: string]: number;
            };
            /** Format: double */
            duration_seconds: number;
            /** Format: int64 */
            evicted_bytes: number;
            /** Format: int64 */
            evicted_origins: number;
            flow_types: {
                [key: string]: number;
            };
            /** Format: date-time */
            last_activity: string;
            legs: components["schemas"]["Legs"];
            linked_mcp_sessions: string[] | null;
            /** Format: int64 */
            memory_bytes: number;
            origins_unknown?: components["schemas"]["Loss"];
            risk_levels: {
                [key: string]: number;
            };
            /** Format: date-time */
            started: string;
            tools: string[] | null;
            /** Format: int64 */
            total_edges: number;
            /** Format: int64 */
            total_origins: number;
        };
        Sweep: {
            approved: components["schemas"]["Key"][] | null;
            blocked?: components["schemas"]["Key"][] | null;
            skipped: components["schemas"]["Skip"][] | null;
        };
        Tally: {
            /** Format: int64 */
            approved: number;
            /** Format: int64 */
            blocked: number;
            /**
             * Format: int64
             * @description Servers whose code has changed, or cannot be read any more, and waits for approval
             */
            changed_programs: number;
            /**
             * Format: int64
             * @description Definitions that agents can neither see nor use
             */
            held: number;
            /** Format: int64 */
            quarantined: number;
            /** Format: int64 */
            quarantined_servers: number;
            /** Format: int64 */
            rug_pull: number;
        };
        Target: {
            /**
             * Format: int64
             * @description There was no room for them to wait, or the target did not take them
             */
            dropped: number;
            last_error?: string;
            /** Format: int64 */
            sent: number;
            target: string;
            /** Format: int64 */
            waiting: number;
        };
        Token: {
            /** Format: date-time */
            created: string;
            expired: boolean;
            /**
             * Format: date-time
             * @description Time of expiry; absent if it never expires
             */
            expires?: string;
            /**
             * Format: date-time
             * @description Time of the last use, to the hour; absent if it was never used
             */
            last_used?: string;
            /** @description The principal of its bearer's calls */
            name: string;
            /** @description What calls may do; everything when empty */
            operations: string[] | null;
            /** @enum {string} */
            role: "agent" | "auditor";
            /** @description Servers of which it may use all tools */
            servers: string[] | null;
            /** @description Tools of other servers that it may use, as server:tool; all tools if there are no servers either */
            tools: string[] | null;
        };
        TokenCounts: {
            /** Format: int64 */
            agents: number;
            /** Format: int64 */
            auditors: number;
            /** Format: int64 */
            expired: number;
        };
        Tool: {
            classification: components["schemas"]["Class"];
            definition?: unknown;
            description: string;
            input_schema?: unknown;
            name: string;
            operation: string;
            /** Format: double */
            score?: number;
            server: string;
            /** @description State of the definition, in the list of one server */
            trust?: components["schemas"]["Trust"];
        };
        Trust: {
            /** @description Hash of the approved form */
            approved_hash?: string;
            by: string;
            findings: components["schemas"]["Finding"][] | null;
            /** @description Hash of the present form */
            hash: string;
            /** @description Whether agents can neither see nor use it */
            held: boolean;
            kind: string;
            /** @description Whether the server still declares it */
            listed: boolean;
            reason: string;
            /** Format: date-time */
            since: string;
            state: string;
        };
        Value: {
            /** Format: int64 */
            records: number;
            value: string;
        };
        Webhook: {
            configured: boolean;
            /**
             * Format: int64
             * @description There was no room for them to wait
             */
            dropped: number;
            /**
             * Format: int64
             * @description The receiver did not take them
             */
            failed: number;
            last_error?: string;
            /** Format: date-time */
            last_sent?: string;
            /**
             * Format: int64
             * @description Counted in another alert
             */
            merged: number;
            /** Format: int64 */
            sent: number;
            /** Format: int64 */
            waiting: number;
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    "list-activity": {
        parameters: {
            query?: {
                /** @description Record types, separated by commas */
                type?: string;
                /** @description Name of the server */
                server?: string;
                /** @description Name of the tool */
                tool?: string;
                /** @description Protocol or flow session */
                session_id?: string;
                /** @description success, error, blocked or rejected */
                status?: "success" | "error" | "blocked" | "rejected";
                /** @description Such as internal→external, or internal->external */
                flow_type?: "internal→internal" | "external→external" | "external→internal" | "internal→external" | "internal->internal" | "external->external" | "external->internal" | "internal->external";
                /** @description This level and above */
                risk_level?: "none" | "low" | "medium" | "high" | "critical";
                /** @description RFC 3339 */
                start_time?: string;
                /** @description RFC 3339 */
                end_time?: string;
                request_id?: string;
                parent_id?: string;
                /** @description true or false */
                sensitive_data?: boolean;
                /** @description Such as github_token */
                detection_type?: string;
                /** @description This severity and above */
                severity?: "low" | "medium" | "high" | "critical";
                /** @description allow, warn, redact, ask or deny */
                decision?: "allow" | "warn" | "redact" | "ask" | "deny";
                /** @description Exact name of the rule that decided */
                rule?: string;
                /** @description Who called */
                principal?: string;
                /** @description asc is oldest first, desc is newest first; asc when empty and session_id is given, else desc */
                order?: "asc" | "desc";
                /** @description 1 to 100, 50 when empty */
                limit?: number;
                offset?: number;
                /** @description Records that come after the one with this id */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EnvelopePage"];
                };
            };
        };
    };
    "export-activity": {
        parameters: {
            query?: {
                type?: string;
                server?: string;
                tool?: string;
                session_id?: string;
                status?: "success" | "error" | "blocked" | "rejected";
                flow_type?: "internal→internal" | "external→external" | "external→internal" | "internal→external" | "internal->internal" | "external->external" | "external->internal" | "internal->external";
                risk_level?: "none" | "low" | "medium" | "high" | "critical";
                start_time?: string;
                end_time?: string;
                request_id?: string;
                parent_id?: string;
                sensitive_data?: boolean;
                detection_type?: string;
                severity?: "low" | "medium" | "high" | "critical";
                decision?: "allow" | "warn" | "redact" | "ask" | "deny";
                rule?: string;
                principal?: string;
                order?: "asc" | "desc";
                limit?: number;
                offset?: number;
                cursor?: string;
                format?: "json" | "jsonl" | "csv";
                include_flows?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Records */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Record"][];
                    "application/jsonl": unknown;
                    "text/csv": unknown;
                };
            };
        };
    };
    "filter-options": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description A filter */
                field: "type" | "server" | "tool" | "status" | "decision" | "rule" | "principal" | "flow_type" | "risk_level" | "detection_type" | "severity" | "session_id";
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EnvelopeListValue"];
                };
            };
        };
    };
    "activity-summary": {
        parameters: {
            query?: {
                /** @description Record types, separated by commas */
                type?: string;
                /** @description Name of the server */
                server?: string;
                /** @description Name of the tool */
                tool?: string;
                /** @description Protocol or flow session */
                session_id?: string;
                /** @description success, error, blocked or rejected */
                status?: "success" | "error" | "blocked" | "rejected";
                /** @description Such as internal→external, or internal->external */
                flow_type?: "internal→internal" | "external→external" | "external→internal" | "internal→external" | "internal->internal" | "external->external" | "external->internal" | "internal->external";
                /** @description This level and above */
                risk_level?: "none" | "low" | "medium" | "high" | "critical";
                /** @description RFC 3339 */
                start_time?: string;
                /** @description RFC 3339 */
                end_time?: string;
                request_id?: string;
                parent_id?: string;
                /** @description true or false */
                sensitive_data?: boolean;
                /** @description Such as github_token */
                detection_type?: string;
                /** @description This severity and above */
                severity?: "low" | "medium" | "high" | "critical";
                /** @description allow, warn, redact, ask or deny */
                decision?: "allow" | "warn" | "redact" | "ask" | "deny";
                /** @description Exact name of the rule that decided */
                rule?: string;
                /** @description Who called */
                principal?: string;
                /** @description asc is oldest first, desc is newest first; asc when empty and session_id is given, else desc */
                order?: "asc" | "desc";
                /** @description 1 to 100, 50 when empty */
                limit?: number;
                offset?: number;
                /** @description Records that come after the one with this id */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EnvelopeBreakdown"];
                };
            };
        };
    };
    "get-activity": {
        parameters: {
            query?: {
                /** @description show: with the personal data that the log masks, for the owner */
                personal?: "mask" | "show";
            };
            header?: never;
            path: {
                /** @description Activity id */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EnvelopeRecord"];
                };
            };
        };
    };
    "list-approvals": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EnvelopeListRequest"];
                };
            };
        };
    };
    "decide-approval": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "approve": true,
                 *       "for": "once",
                 *       "id": "01JQ8Z3M5K7N9P2R4T6V8X0Y1C"
                 *     }
                 */
                "application/json": components["schemas"]["DecisionAboutBody"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EnvelopeDecided"];
                };
            };
        };
    };
    "list-approval-rules": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EnvelopeListApprovalRule"];
                };
            };
        };
    };
    "keep-approval-rule": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "activity_id": "01JQ8Z3M5K7N9P2R4T6V8X0Y1A"
                 *     }
                 */
                "application/json": components["schemas"]["KeptAfterwardsBody"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EnvelopeApprovalRule"];
                };
            };
        };
    };
    "revoke-approval-rule": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the rule */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EnvelopeApprovalRule"];
                };
            };
        };
    };
    "approve-call": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the request */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "for": "once"
                 *     }
                 */
                "application/json": components["schemas"]["Span"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EnvelopeDecided"];
                };
            };
        };
    };
    "deny-call": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the request */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EnvelopeDecided"];
                };
            };
        };
    };
    "run-code": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "code": "async () => 1"
                 *     }
                 */
                "application/json": components["schemas"]["CodingBody"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EnvelopeRan"];
                };
            };
        };
    };
    diagnostics: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EnvelopeDiagnostics"];
                };
            };
        };
    };
    "explain-activity": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Activity id */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EnvelopeExplanation"];
                };
            };
        };
    };
    fleet: {
        parameters: {
            query?: {
                /** @description How many approvals a tool needs to be listed */
                least?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EnvelopeFleetView"];
                };
            };
        };
    };
    "list-home": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EnvelopeListHomeEntry"];
                };
            };
        };
    };
    "decide-home": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "action": "confirm",
                 *       "entry": "acme.example"
                 *     }
                 */
                "application/json": components["schemas"]["HomeDecision"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EnvelopeHomeChange"];
                };
            };
        };
    };
    "evaluate-hook": {
        parameters: {
            query?: {
                /** @description The agent's name, such as claude-code; detected when absent */
                agent?: string;
                /** @description The event's name, when the payload has none */
                event?: string;
                /** @description Answer before inspecting events that cannot change the answer: events about a tool that has run, and large calls that nothing can stop */
                async?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "event": "PreToolUse",
                 *       "session_id": "s1",
                 *       "tool_input": {
                 *         "file_path": "/tmp/x"
                 *       },
                 *       "tool_name": "Read"
                 *     }
                 */
                "application/json": {
                    [key: string]: unknown;
                };
            };
        };
        responses: {
            /** @description The decision */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Answer"];
                        /** @description true */
                        success: boolean;
                    };
                };
            };
        };
    };
    "kill-state": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EnvelopeKillState"];
                };
            };
        };
    };
    kill: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "on": true
                 *     }
                 */
                "application/json": components["schemas"]["KillingBody"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EnvelopeKillState"];
                };
            };
        };
    };
    login: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EnvelopeLoginCode"];
                };
            };
        };
    };
    "exchange-login": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    "Set-Cookie"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EnvelopePageSession"];
                };
            };
        };
    };
    "login-ways": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EnvelopeSignInWays"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    logout: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EnvelopeLoggedOut"];
                };
            };
        };
    };
    "simulate-policy": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "policy": {
                 *         "security": {
                 *           "flow_policy": {
                 *             "internal_to_external": "deny"
                 *           }
                 *         }
                 *       },
                 *       "since": "7d"
                 *     }
                 */
                "application/json": {
                    /** @description The content of a bundle for managed machines, in the place of policy */
                    bundle?: Record<string, unknown>;
                    /** @description Maximum number of listed changes: 0 for all, 100 when absent */
                    limit?: number;
                    /** @description A configuration, or a part of one that is merged over the one in force (RFC 7396) */
                    policy?: Record<string, unknown>;
                    /** @description A time, or how long ago: 7d, 12h */
                    since?: string;
                    /** @description A time, or how long ago */
                    until?: string;
                };
            };
        };
        responses: {
            /** @description The changes, newest first, and the totals */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Simulation"];
                        /** @description true */
                        success: boolean;
                    };
                };
            };
        };
    };
    "suggest-policies": {
        parameters: {
            query?: {
                /** @description A time, or how long ago: 30d, 12h; 30d when empty */
                since?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EnvelopeListSuggestion"];
                };
            };
        };
    };
    "run-probe": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "server": "notes",
                 *       "suites": [
                 *         "prompt_security"
                 *       ],
                 *       "target_mode": "mcp"
                 *     }
                 */
                "application/json": components["schemas"]["ProbeRequest"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EnvelopeProbeReport"];
                };
            };
        };
    };
    "list-servers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EnvelopeListServer"];
                };
            };
        };
    };
    "server-logs": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Name of a server */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EnvelopeListLogLine"];
                };
            };
        };
    };
    "quarantine-server": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Name of a server */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "reason": "looks odd"
                 *     }
                 */
                "application/json": components["schemas"]["BecauseOfBody"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EnvelopeChange"];
                };
            };
        };
    };
    "restart-server": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Name of a server */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EnvelopeRestarted"];
                };
            };
        };
    };
    "list-tools": {
        parameters: {
            query?: {
                /** @description Kind to list; all means everything that the server declares, so not its program */
                kind?: "tool" | "prompt" | "instructions" | "program" | "all";
                /** @description With each definition as its server sent it, hidden characters and all */
                definitions?: boolean;
            };
            header?: never;
            path: {
                /** @description Name of a server */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EnvelopeListTool"];
                };
            };
        };
    };
    "approve-tools": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Name of a server */
                name: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "tools": [
                 *         "read_note"
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["Decision"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EnvelopeSweep"];
                };
            };
        };
    };
    "block-tools": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Name of a server */
                name: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "tools": [
                 *         "read_note"
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["Decision"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EnvelopeSweep"];
                };
            };
        };
    };
    "show-tool": {
        parameters: {
            query?: {
                /** @description Kind of definition */
                kind?: "tool" | "prompt" | "instructions" | "program";
            };
            header?: never;
            path: {
                /** @description Name of a server */
                name: string;
                /** @description Its name, or the beginning of its hash; anything for instructions and the program */
                tool: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EnvelopeDeclared"];
                };
            };
        };
    };
    "diff-tool": {
        parameters: {
            query?: {
                /** @description Kind of definition */
                kind?: "tool" | "prompt" | "instructions" | "program";
            };
            header?: never;
            path: {
                /** @description Name of a server */
                name: string;
                /** @description Its name, or the beginning of its hash; anything for instructions and the program */
                tool: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EnvelopeComparison"];
                };
            };
        };
    };
    "unquarantine-server": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Name of a server */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EnvelopeChange"];
                };
            };
        };
    };
    "list-sessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EnvelopeListSession"];
                };
            };
        };
    };
    "session-flow": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Session, as the list of sessions or a record's flow_session_id names it */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EnvelopeSessionFlow"];
                };
            };
        };
    };
    standing: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EnvelopeStanding"];
                };
            };
        };
    };
    status: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EnvelopeOverview"];
                };
            };
        };
    };
    "list-tokens": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EnvelopeListToken"];
                };
            };
        };
    };
    "create-token": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "nightly",
                 *       "servers": [
                 *         "notes"
                 *       ],
                 *       "operations": [
                 *         "read"
                 *       ],
                 *       "expires": "30d"
                 *     }
                 */
                "application/json": components["schemas"]["NewToken"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EnvelopeMadeToken"];
                };
            };
        };
    };
    "revoke-token": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Name of a token */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EnvelopeRevoked"];
                };
            };
        };
    };
    "search-tools": {
        parameters: {
            query?: {
                /** @description What the tool should do; all tools when empty */
                q?: string;
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EnvelopeListTool"];
                };
            };
        };
    };
    events: {
        parameters: {
            query?: {
                /** @description Names of events, separated by commas; activity.* means all names that begin with activity. */
                types?: string;
                /** @description The same, for readers that can send no header */
                last_event_id?: string;
            };
            header?: {
                /** @description Id of the last event that was read: later events are sent again */
                "Last-Event-ID"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Server-sent events */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": unknown;
                };
            };
        };
    };
    healthz: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It runs */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
                };
            };
        };
    };
    metrics: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It runs */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
                };
            };
        };
    };
    openapi: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It runs */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/openapi+json": {
                        [key: string]: unknown;
                    };
                };
            };
        };
    };
    "run-tests": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "server": "notes",
                 *       "suites": [
                 *         "prompt_security"
                 *       ],
                 *       "target_mode": "mcp"
                 *     }
                 */
                "application/json": components["schemas"]["ProbeRequest"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProbeReport"];
                };
            };
        };
    };
    readyz: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It runs */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
                };
            };
        };
    };
}
