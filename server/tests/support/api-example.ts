import { spawn } from 'node:child_process'
import { generateKeyPairSync } from 'node:crypto'
import { once } from 'node:events'
import { decodeJwt, decodeProtectedHeader, SignJWT } from 'jose'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { freePort } from '../../../scripts/free-port.ts'
import { closeIssuer, issuerOf, issuers, openIssuer, organization, person, tokensOf } from './own-issuer.ts'
import { repository } from './program.ts'

const resource = 'https://orders.example.com'
const other = 'urn:example:other'

/** Runs an API of `examples/api` and tries it with the tokens of a person who signs in, and with what attackers have. */
export function apiTakesTokens(name: string, command: string[]) {
  let address: string
  let api: ReturnType<typeof spawn> | undefined

  beforeAll(async () => {
    await openIssuer()
    for (const identifier of [resource, other])
      await issuers.as(organization, 'POST', '/organizations/resources', {
        identifier,
        name: 'API',
        scopes: ['orders:read'],
      })
    const port = await freePort()
    address = `http://127.0.0.1:${port}`
    const [program = '', ...given] = command
    api = spawn(program, given, {
      cwd: repository,
      stdio: ['ignore', 'ignore', 'inherit'],
      env: {
        ...process.env,
        ISSUER: issuerOf(organization),
        RESOURCE: resource,
        KEYS: `${issuers.address}/oidc/${organization.id}/jwks`,
        PORT: `${port}`,
      },
    })
    await vi.waitFor(async () => expect((await ask()).status).toBe(401), { timeout: 20_000 })
  })
  afterAll(async () => {
    if (api?.exitCode === null) {
      api.kill('SIGKILL')
      await once(api, 'exit')
    }
    await closeIssuer()
  })

  async function ask(token?: string) {
    const headers: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` }
    const answer = await fetch(`${address}/orders`, { headers })
    return { status: answer.status, challenge: answer.headers.get('www-authenticate'), body: await answer.json() }
  }

  const tokenFor = (identifier: string, scope = 'openid orders:read') =>
    tokensOf({ parameters: { resource: identifier, scope } })
  const invalid = { status: 401, challenge: 'Bearer error="invalid_token"', body: {} }

  describe(name, () => {
    test('It takes a token for itself, and knows whose it is', async () => {
      const { access_token } = await tokenFor(resource)
      expect(await ask(access_token)).toMatchObject({
        status: 200,
        body: { orders: [], for: person, organization: organization.id, groups: ['crew', 'staff'] },
      })
      expect(await ask()).toMatchObject({ status: 401, challenge: 'Bearer' })
    })

    test('It refuses a token without the scope', async () => {
      const { access_token } = await tokenFor(resource, 'openid')
      expect(await ask(access_token)).toMatchObject({
        status: 403,
        challenge: 'Bearer error="insufficient_scope", scope="orders:read"',
      })
    })

    test('It refuses the token of another resource, an ID token, an opaque one, and forged ones', async () => {
      const tokens = await tokenFor(resource)
      const claims = decodeJwt(tokens.access_token)
      const { kid = '' } = decodeProtectedHeader(tokens.access_token)
      const [, payload, signature] = tokens.access_token.split('.')
      const encoded = (header: object) => Buffer.from(JSON.stringify(header)).toString('base64url')
      const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 })
      const keys = await (await fetch(`${issuers.address}/oidc/${organization.id}/jwks`)).text()
      const header = { typ: 'at+jwt', kid }
      for (const token of [
        (await tokenFor(other)).access_token,
        tokens.id_token ?? '',
        (await tokensOf()).access_token,
        `${encoded({ ...header, alg: 'none' })}.${payload}.`,
        `${encoded({ ...header, alg: 'RS256' })}.${payload}.${signature}`,
        `${encoded({ ...header, alg: 'RS256', typ: 1 })}.${payload}.${signature}`,
        await new SignJWT(claims).setProtectedHeader({ ...header, alg: 'RS256' }).sign(privateKey),
        await new SignJWT(claims).setProtectedHeader({ ...header, alg: 'HS256' }).sign(Buffer.from(keys)),
        await new SignJWT(claims).setProtectedHeader({ ...header, alg: 'RS256', kid: 'x' }).sign(privateKey),
      ])
        expect(await ask(token)).toEqual(invalid)
    })
  })
}
