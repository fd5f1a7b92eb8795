// An OpenID provider (npm's oidc-provider) for the tests of single sign-on. It reads its settings
// as JSON from standard input: port, jwks (private keys) and groups (by client). Each client gets
// access tokens by its name and the secret "secret", for the resource that it names.
import { readFileSync } from 'node:fs';
import { Provider } from 'oidc-provider';

const { port, jwks, groups } = JSON.parse(readFileSync(0, 'utf8'));
const provider = new Provider(`http://127.0.0.1:${port}`, {
  jwks,
  clients: Object.keys(groups).map((client) => ({
    client_id: client,
    client_secret: 'secret',
    grant_types: ['client_credentials'],
    redirect_uris: [],
    response_types: [],
    token_endpoint_auth_method: 'client_secret_post',
    id_token_signed_response_alg: jwks.keys[0].alg,
  })),
  extraTokenClaims: (_, token) => ({ groups: groups[token.clientId] }),
  features: {
    clientCredentials: { enabled: true },
    devInteractions: { enabled: false },
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
