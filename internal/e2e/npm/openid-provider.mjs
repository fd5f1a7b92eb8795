// An OpenID provider (npm's oidc-provider) for the tests of single sign-on. It reads its settings
// as JSON from standard input: port, jwks (private keys) and groups (by client). Each client gets
// access tokens by its name and the secret "secret", for the resource that it names.
//
// If page is set, it is the client of mcpproxy's page, and people log in: the password is anything, and
// the groups are those of the name in people. No login is without PKCE, and a logout at the provider tells the client.
import { readFileSync } from 'node:fs';
import { Provider } from 'oidc-provider';

const { port, jwks, groups, page, people = {} } = JSON.parse(readFileSync(0, 'utf8'));
const provider = new Provider(`http://127.0.0.1:${port}`, {
  jwks,
  clients: [
    ...(page ? [page] : []),
    ...Object.keys(groups).map((client) => ({
      client_id: client,
      client_secret: 'secret',
      grant_types: ['client_credentials'],
      redirect_uris: [],
      response_types: [],
      token_endpoint_auth_method: 'client_secret_post',
      id_token_signed_response_alg: jwks.keys[0].alg,
    })),
  ],
  claims: { openid: ['sub'], profile: ['groups'], email: ['email', 'email_verified'] },
  findAccount: (_, id) => ({
    accountId: id,
    claims: () => ({ sub: id, email: `${id}@acme.example`, email_verified: true, groups: people[id] }),
  }),
  // The provider's own dispatcher reaches no address of this machine, where mcpproxy is.
  fetch: (url, { dispatcher, ...options }) => fetch(url, options),
  pkce: { required: () => true },
  extraTokenClaims: (_, token) => ({ groups: groups[token.clientId] }),
  features: {
    clientCredentials: { enabled: true },
    devInteractions: { enabled: !!page },
    backchannelLogout: { enabled: !!page },
    resourceIndicators: {
      enabled: true,
      getResourceServerInfo: (_, resource) => ({
        audience: resource,
        scope: 'tools',
        accessTokenFormat: 'jwt',
        accessTokenTTL: 600,
        jwt: { sign: { alg: jwks.keys[0].alg } },
      }),
    },
  },
});
provider.listen(port, '127.0.0.1', () => console.log('listening'));
