import { createRemoteJWKSet, customFetch, jwtVerify } from 'jose'
import { expect } from 'vitest'
import {
  afterSignOut,
  call,
  client,
  expectEnded,
  issuer,
  metadata,
  mirrors,
  signIn,
  signIns,
  signOut,
  useSuite,
} from './support/suite.ts'

useSuite()

mirrors('oidcc-backchannel-logout-discovery-endpoint-verification', async () => {
  expect(metadata).toMatchObject({
    backchannel_logout_supported: true,
    backchannel_logout_session_supported: true,
    end_session_endpoint: expect.stringMatching(/^https:/),
  })
  return 'passed'
})

mirrors('oidcc-backchannel-rp-initiated-logout', async () => {
  const { id_token, claims } = await signIn()
  const page = await signOut({ id_token_hint: id_token, post_logout_redirect_uri: afterSignOut, state: 'left' })
  const [request] = await signIns.receiver.waitFor('/backchannel_logout', 1)
  expect(request).toMatchObject({
    method: 'POST',
    headers: { 'content-type': expect.stringMatching(/^application\/x-www-form-urlencoded/) },
  })
  const form = new URLSearchParams(request?.body)
  expect([...form.keys()]).toEqual(['logout_token'])
  const keys = createRemoteJWKSet(new URL(metadata.jwks_uri), { [customFetch]: call as never })
  const { payload, protectedHeader } = await jwtVerify(form.get('logout_token') ?? '', keys, {
    issuer,
    audience: client.client_id,
  })
  expect(protectedHeader.alg).toBe('RS256')
  expect(payload).toMatchObject({
    jti: expect.any(String),
    iat: expect.any(Number),
    events: { 'http://schemas.openid.net/event/backchannel-logout': {} },
    sid: claims.sid,
  })
  expect(Object.keys(payload.events as object)).toHaveLength(1)
  expect([undefined, claims.sub]).toContain(payload.sub)
  expect(payload).not.toHaveProperty('nonce')
  expect(page.url).toBe(`${afterSignOut}?state=left`)
  await expectEnded()
  return 'passed'
})
