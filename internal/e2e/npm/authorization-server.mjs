// An authorization server (npm's oidc-provider) for the tests of logins to MCP servers. It reads its
// settings as JSON from standard input: port, jwks (private keys), file and lifetime (of access tokens,
// in seconds).
//
// Clients register themselves, everybody is logged in as ann at once, and refresh tokens rotate: one that
// comes twice ends the login. All of it is kept in the file before an answer is sent, so that a server
// that is killed and started again knows its clients and tokens.
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { Provider } from 'oidc-provider';

const { port, jwks, file, lifetime } = JSON.parse(readFileSync(0, 'utf8'));

let kept = {};
try {
  kept = JSON.parse(readFileSync(file, 'utf8'));
} catch (err) {
  if (err.code !== 'ENOENT') throw err;
}

function save() {
  writeFileSync(`${file}.new`, JSON.stringify(kept));
  renameSync(`${file}.new`, file);
}

class Adapter {
  constructor(model) {
    this.model = model;
  }

  async upsert(id, payload, expiresIn) {
    kept[`${this.model}:${id}`] = { payload, end: expiresIn ? Date.now() + expiresIn * 1000 : null };
    save();
  }

  async find(id) {
    const found = kept[`${this.model}:${id}`];
    return found && (!found.end || Date.now() < found.end) ? found.payload : undefined;
  }

  async findByUid(uid) {
    const found = Object.entries(kept).find(([key, { payload }]) => key.startsWith(`${this.model}:`) && payload.uid === uid);
    return found?.[1].payload;
  }

  async consume(id) {
    kept[`${this.model}:${id}`].payload.consumed = Math.floor(Date.now() / 1000);
    save();
  }

  async destroy(id) {
    delete kept[`${this.model}:${id}`];
    save();
  }

  async revokeByGrantId(grantId) {
    for (const [key, { payload }] of Object.entries(kept)) if (payload.grantId === grantId) delete kept[key];
    save();
  }
}

const provider = new Provider(`http://127.0.0.1:${port}`, {
  jwks,
  adapter: Adapter,
  clientDefaults: { id_token_signed_response_alg: jwks.keys[0].alg, grant_types: ['authorization_code', 'refresh_token'] },
  scopes: ['openid', 'offline_access', 'wiki:write'],
  cookies: { keys: ['of no value'] },
  findAccount: (_, id) => ({ accountId: id, claims: () => ({ sub: id }) }),
  interactions: { url: (_, { uid }) => `/interaction/${uid}` },
  issueRefreshToken: () => true,
  rotateRefreshToken: true,
  ttl: { RefreshToken: 3600, Session: 3600, Interaction: 600, Grant: 3600, AuthorizationCode: 60, IdToken: 60 },
  async loadExistingGrant({ oidc: { client, session, params } }) {
    const grant = new provider.Grant({ clientId: client.clientId, accountId: session.accountId });
    grant.addOIDCScope('openid offline_access wiki:write');
    grant.addResourceScope(params.resource, 'wiki:write');
    await grant.save();
    return grant;
  },
  features: {
    devInteractions: { enabled: false },
    registration: { enabled: true },
    revocation: { enabled: true },
    resourceIndicators: {
      enabled: true,
      useGrantedResource: () => true,
      getResourceServerInfo: (_, resource) => ({
        audience: resource,
        scope: 'wiki:write',
        accessTokenFormat: 'jwt',
        accessTokenTTL: lifetime,
        jwt: { sign: { alg: jwks.keys[0].alg } },
      }),
    },
  },
});
provider.use(async (ctx, next) => {
  if (!ctx.path.startsWith('/interaction/')) return next();
  ctx.respond = false;
  return provider.interactionFinished(ctx.req, ctx.res, { login: { accountId: 'ann' }, consent: {} });
});
provider.on('grant.success', ({ oidc }) => console.log('granted', oidc.params.grant_type));
provider.on('grant.error', (_, err) => console.log('refused', err.error, err.error_detail));
provider.on('grant.revoked', () => console.log('revoked'));
provider.on('registration_create.error', (_, err) => console.log('not registered', err));
provider.on('authorization.error', (_, err) => console.log('not authorized', err));
provider.on('server_error', (_, err) => console.log('failed', err));
provider.listen(port, '127.0.0.1', () => console.log('listening'));
