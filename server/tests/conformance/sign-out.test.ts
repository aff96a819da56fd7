import { generateKeyPair, SignJWT } from 'jose'
import { expect } from 'vitest'
import { application } from '../support/browser.ts'
import {
  afterSignOut,
  expectEnded,
  metadata,
  mirrors,
  type Parameters,
  type SignedIn,
  signIn,
  signOut,
  useSuite,
} from './support/suite.ts'

useSuite()

const state = 's'.repeat(128)
const complete = ({ id_token }: SignedIn): Parameters => ({
  id_token_hint: id_token,
  post_logout_redirect_uri: afterSignOut,
  state,
})

type Made = (signedIn: SignedIn) => Parameters | Promise<Parameters>

/** The person confirms on the page, comes back to that address, and no session is left. */
const comesBack = (make: Made, address: string) => async () => {
  const page = await signOut(await make(await signIn()))
  expect(page.url.replace(/#$/, '')).toBe(address)
  await expectEnded()
  return 'passed' as const
}

/** The person, who confirms where a page asks, stays with a page, of that status where one is given. */
const staysWithPage = (make: Made, status?: number) => async () => {
  const page = await signOut(await make(await signIn()))
  expect(page.url.startsWith(application)).toBe(false)
  expect(page.headers.get('content-type')).toMatch(/^text\/html/)
  if (status) expect(page.status).toBe(status)
  return 'passed' as const
}

/** The page says that the person is signed out, and no session is left. */
const endsWithPage = (make: Made) => async () => {
  await staysWithPage(make, 200)()
  await expectEnded()
  return 'passed' as const
}

const without =
  (...names: string[]) =>
  (signedIn: SignedIn): Parameters => ({
    ...complete(signedIn),
    ...Object.fromEntries(names.map((name) => [name, undefined])),
  })

async function signedByAnother({ claims }: SignedIn) {
  const { privateKey } = await generateKeyPair('RS256')
  return new SignJWT(claims).setProtectedHeader({ alg: 'RS256' }).sign(privateKey)
}

const unsigned = ({ id_token }: SignedIn) => {
  const none = Buffer.from(JSON.stringify({ alg: 'none' })).toString('base64url')
  return `${none}.${id_token.split('.')[1]}.`
}

mirrors('oidcc-rp-initiated-logout-discovery-endpoint-verification', async () => {
  expect(new URL(metadata.end_session_endpoint).protocol).toBe('https:')
  return 'passed'
})

mirrors('oidcc-rp-initiated-logout', comesBack(complete, `${afterSignOut}?state=${state}`))

mirrors(
  'oidcc-rp-initiated-logout-bad-post-logout-redirect-uri',
  staysWithPage((signedIn) => ({ ...complete(signedIn), post_logout_redirect_uri: `${afterSignOut}_bad` }), 400),
)

mirrors(
  'oidcc-rp-initiated-logout-modified-id-token-hint',
  staysWithPage((signedIn) => ({ ...complete(signedIn), id_token_hint: unsigned(signedIn) }), 400),
)

mirrors('oidcc-rp-initiated-logout-no-id-token-hint', staysWithPage(without('id_token_hint')))

mirrors(
  'oidcc-rp-initiated-logout-no-params',
  endsWithPage(() => ({})),
)

mirrors('oidcc-rp-initiated-logout-no-post-logout-redirect-uri', endsWithPage(without('post_logout_redirect_uri')))

mirrors('oidcc-rp-initiated-logout-no-state', comesBack(without('state'), afterSignOut))

mirrors(
  'oidcc-rp-initiated-logout-only-state',
  endsWithPage(() => ({ state })),
)

mirrors(
  'oidcc-rp-initiated-logout-query-added-to-post-logout-redirect-uri',
  staysWithPage((signedIn) => ({ ...complete(signedIn), post_logout_redirect_uri: `${afterSignOut}?foo=bar` }), 400),
)

mirrors(
  'oidcc-rp-initiated-logout-bad-id-token-hint',
  staysWithPage(async (signedIn) => ({ ...complete(signedIn), id_token_hint: await signedByAnother(signedIn) }), 400),
)
