// Makes vectors.json: `npm run generate:conformance -w @signet/webhooks`. For a receiver whose clock cannot be set, and that
// fetches keys from the issuer itself: `node generate.ts <file> <seconds since 1970> <issuer> <target_url>`. The keys are those of test-only-keys.json. An ECDSA
// signature has chance in it, so each run writes other signatures over the same tokens.
import { createHmac, createPrivateKey, createPublicKey, type KeyObject, sign } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

type Verdict = { expect: 'accepted' } | { expect: 'refused'; code: string }
type Body = string | { repeat: string; times: number }
type Request = Verdict & { body: Body }
type Token = Request & { name: string; says: string }
/** What the place of the key set answers: with a status, or never. */
type KeySetAnswer = { status: number; body?: object } | { status: 'never' }
type Step = { at: number; key_set: KeySetAnswer; fetches_at_most: number; requests: Request[] }
type Story = { name: string; says: string; steps: Step[] }

type KeyName = 'current' | 'next' | 'later' | 'foreign'
type TestKey = { kid: string; kty: 'EC'; crv: 'P-256'; x: string; y: string; d: string }

const testKeys: Record<KeyName, TestKey> = JSON.parse(
  readFileSync(join(import.meta.dirname, 'test-only-keys.json'), 'utf8'),
)

const [
  file = join(import.meta.dirname, 'vectors.json'),
  time = '1800000000',
  issuer = 'https://signet.example.com',
  target_url = 'https://hooks.example.com/signet',
] = process.argv.slice(2)
/** Seconds since 1970. */
const now = Number(time)
const receiver = { issuer, organization_id: '019ab3c5-8e00-7000-8000-000000000001', target_url }

const content = {
  event_metadata: {
    is_test_event: true,
    event_id: '019ab3c5-8e00-7000-8000-000000000002',
    timestamp: '2027-01-15T08:00:00.000000000Z',
    source: 1,
    event_type: 'PersonDeleted',
    event_name: 'PersonDeleted_v1',
    event_version: 1,
    organization_id: receiver.organization_id,
  },
  person_id: '019ab3c5-8e00-7000-8000-000000000003',
  region: 'local',
  handles: [{ type: 0, value: 'jo@example.com' }],
  groups: ['Grüße'],
}

const claimsAt = (iat: number) => ({
  jti: '019ab3c5-8e00-7000-8000-000000000004',
  aud: receiver.organization_id,
  sub: content.event_metadata.event_id,
  iss: receiver.issuer,
  iat,
  exp: iat + 300,
  webhook_id: '019ab3c5-8e00-7000-8000-000000000005',
  target_url: receiver.target_url,
  trigger_type: 'event',
  trigger_name: 'PersonDeleted_v1',
  trigger_content: content as object,
})

const claims = claimsAt(now)
const header = { alg: 'ES256', typ: 'JWT', kid: testKeys.current.kid }

const published = (...names: KeyName[]) => ({
  keys: names.map((name) => {
    const { kid, x, y } = testKeys[name]
    return { alg: 'ES256', crv: 'P-256', key_ops: ['verify'], kid, kty: 'EC', use: 'sig', x, y }
  }),
})
const privateKey = (name: KeyName) => createPrivateKey({ key: testKeys[name], format: 'jwk' })

const encode = (part: string | object | Buffer) =>
  Buffer.from(typeof part === 'string' || Buffer.isBuffer(part) ? part : JSON.stringify(part)).toString('base64url')
const textOf = (part: object) => JSON.stringify(part)

/** Strings are taken as they are, so that a part need not be what JSON.stringify would write. */
function token(head: string | object, payload: string | object | Buffer, key: KeyName = 'current') {
  const input = `${encode(head)}.${encode(payload)}`
  return `${input}.${encode(signatureOf(input, privateKey(key)))}`
}

const signatureOf = (input: string, key: KeyObject, dsaEncoding: 'ieee-p1363' | 'der' = 'ieee-p1363') =>
  sign('sha256', Buffer.from(input), { key, dsaEncoding })

const signed = (changes: object) => token(header, { ...claims, ...changes })
const good = token(header, claims)
const [goodHead = '', goodPayload = '', goodSignature = ''] = good.split('.')

const accepted = (name: string, says: string, body: Body): Token => ({ name, says, expect: 'accepted', body })
const refused = (code: string, name: string, says: string, body: Body): Token => ({
  name,
  says,
  expect: 'refused',
  code,
  body,
})

/** One member more in front: a parser that takes the first of two takes this one. */
const withFirst = (part: object, member: object) => `${textOf(member).slice(0, -1)},${textOf(part).slice(1)}`
const without = (claim: string) => Object.fromEntries(Object.entries(claims).filter(([name]) => name !== claim))
const hs256 = (secret: string | Buffer) => {
  const input = `${encode({ ...header, alg: 'HS256' })}.${goodPayload}`
  return `${input}.${createHmac('sha256', secret).update(input).digest('base64url')}`
}
const publicPem = () => createPublicKey(privateKey('current')).export({ type: 'spki', format: 'pem' })
const inDer = () => {
  const input = `${goodHead}.${goodPayload}`
  return `${input}.${encode(signatureOf(input, privateKey('current'), 'der'))}`
}
const groups = Array.from({ length: 1_000 }, (_, place) => `group-${String(place).padStart(4, '0')}`)
const invalidUtf8 = Buffer.concat([
  Buffer.from(textOf(claims).replace('}}', ',"x":"')),
  Buffer.of(0xff),
  Buffer.from('"}}'),
])

const accepting = [
  accepted('good', 'All is as it should be.', good),
  accepted(
    'signed by the next key',
    'Every key of the set counts, not the first alone.',
    token({ ...header, kid: testKeys.next.kid }, claims, 'next'),
  ),
  accepted('last second', 'Expires in the next second.', token(header, claimsAt(now - 299))),
  accepted('clock behind', "Signet's clock may be ahead: made in four minutes.", token(header, claimsAt(now + 240))),
  accepted('more claims', 'A claim that nobody knows is ignored.', signed({ more: { of: ['it'] } })),
  accepted('more in the header', 'What the header says besides is ignored.', token({ ...header, more: 1 }, claims)),
  accepted('no typ', 'Nothing demands that the header has typ.', token({ alg: 'ES256', kid: header.kid }, claims)),
  accepted(
    'an event of later',
    'An event may be newer than the receiver.',
    signed({ trigger_name: 'PersonDeleted_v2' }),
  ),
  accepted('a thousand groups', 'A large event is no mistake.', signed({ trigger_content: { ...content, groups } })),
  accepted(
    'a hook',
    'A synchronous hook is checked as an event is.',
    signed({ trigger_type: 'sync_hook', trigger_name: 'token_minted', trigger_content: { aud: 'app', sub: 'person' } }),
  ),
]

const signatures = [
  refused('bad_signature', 'alg none', 'Nothing is signed.', `${encode({ ...header, alg: 'none' })}.${goodPayload}.`),
  refused('bad_signature', 'alg None', 'In another spelling.', `${encode({ ...header, alg: 'None' })}.${goodPayload}.`),
  refused(
    'bad_signature',
    'alg none, signed',
    'The algorithm is not allowed, whatever comes with it.',
    `${encode({ ...header, alg: 'none' })}.${goodPayload}.${goodSignature}`,
  ),
  refused('bad_signature', 'HS256, public key as PEM', 'The public key is no secret.', hs256(publicPem() as string)),
  refused(
    'bad_signature',
    'HS256, public key as JWK',
    'The public key is no secret.',
    hs256(textOf(published('current').keys[0] as object)),
  ),
  refused('bad_signature', 'HS256, empty secret', 'No secret at all.', hs256('')),
  refused('bad_signature', 'ES384', 'Another algorithm.', token({ ...header, alg: 'ES384' }, claims)),
  refused('bad_signature', 'es256', 'Algorithms are case-sensitive.', token({ ...header, alg: 'es256' }, claims)),
  refused(
    'bad_signature',
    'wrong key',
    'Signed by a key of somebody else, under a name of ours.',
    token(header, claims, 'foreign'),
  ),
  refused(
    'bad_signature',
    'wrong kid',
    'Signed by a key of the set, but not the one that is named.',
    token({ ...header, kid: testKeys.next.kid }, claims),
  ),
  refused(
    'bad_signature',
    'key in the header',
    'A token must not bring its own key (jwk).',
    token({ ...header, jwk: published('foreign').keys[0] }, claims, 'foreign'),
  ),
  refused(
    'bad_signature',
    'key set in the header',
    'A token must not name a key set (jku).',
    token({ ...header, jku: 'https://attacker.example.com/jwks' }, claims, 'foreign'),
  ),
  refused(
    'bad_signature',
    'payload changed',
    'The signature is that of other claims.',
    `${goodHead}.${encode({ ...claims, region: 'other' })}.${goodSignature}`,
  ),
  refused(
    'bad_signature',
    'header changed',
    'The signature is that of another header.',
    `${encode({ ...header, typ: 'jwt' })}.${goodPayload}.${goodSignature}`,
  ),
  refused(
    'bad_signature',
    'signature of zeros',
    'r and s must not be 0.',
    `${goodHead}.${goodPayload}.${encode(Buffer.alloc(64))}`,
  ),
  refused('bad_signature', 'signature in DER', 'A JWT has r and s, 64 bytes (RFC 7518, 3.4).', inDer()),
  refused('bad_signature', 'signature cut', 'The last bytes are missing.', good.slice(0, -8)),
  refused('bad_signature', 'signature missing', 'Says ES256, and has none.', `${goodHead}.${goodPayload}.`),
  refused(
    'bad_signature',
    'duplicate alg',
    'The last one says none; a reader of the first would see ES256.',
    `${encode(withFirst({ ...header, alg: 'none' }, { alg: 'ES256' }))}.${goodPayload}.`,
  ),
  refused(
    'unknown_key',
    'unknown kid',
    'A key that is not in the set.',
    token({ ...header, kid: 'made-up' }, claims, 'foreign'),
  ),
  refused(
    'unknown_key',
    'kid __proto__',
    'A name that some objects have by themselves.',
    token({ ...header, kid: '__proto__' }, claims, 'foreign'),
  ),
  refused(
    'unknown_key',
    'kid as a path',
    'A kid is a name, not a place.',
    token({ ...header, kid: '../../../dev/null' }, claims, 'foreign'),
  ),
]

const times = [
  refused('expired', 'expired', 'Made six minutes ago.', token(header, claimsAt(now - 360))),
  refused(
    'expired',
    'expires now',
    'exp is the first second in which it is not good any more.',
    token(header, claimsAt(now - 300)),
  ),
  refused('expired', 'exp 0', 'Long ago.', signed({ exp: 0 })),
  refused(
    'expired',
    'duplicate exp',
    'The last one is past; a reader of the first would see a later one.',
    token(header, withFirst({ ...claims, exp: now - 1 }, { exp: now + 300 })),
  ),
  refused('not_yet_valid', 'not yet', 'Made in an hour: no clock is that wrong.', token(header, claimsAt(now + 3_600))),
  refused(
    'not_yet_valid',
    'nbf ahead',
    'Says itself that it is not to be taken yet (RFC 7519, 4.1.5).',
    signed({ nbf: now + 3_600 }),
  ),
]

const addresses = [
  refused(
    'wrong_audience',
    'wrong audience',
    'Meant for another organization.',
    signed({ aud: '019ab3c5-8e00-7000-8000-000000000009' }),
  ),
  refused(
    'wrong_audience',
    'audience in capitals',
    'IDs are compared letter for letter.',
    signed({ aud: receiver.organization_id.toUpperCase() }),
  ),
  refused(
    'wrong_audience',
    'duplicate aud',
    'The last one is another organization; a reader of the first would see ours.',
    token(header, withFirst({ ...claims, aud: 'other' }, { aud: receiver.organization_id })),
  ),
  refused('wrong_issuer', 'wrong issuer', 'Sent by another Signet.', signed({ iss: 'https://signet.example.net' })),
  refused('wrong_issuer', 'issuer with a slash', 'Compared letter for letter.', signed({ iss: `${receiver.issuer}/` })),
  refused(
    'wrong_issuer',
    'issuer by http',
    'Compared letter for letter.',
    signed({ iss: 'http://signet.example.com' }),
  ),
  refused(
    'wrong_target_url',
    'wrong target',
    'Sent to another receiver, who passes it on.',
    signed({ target_url: 'https://attacker.example.com/signet' }),
  ),
  refused(
    'wrong_target_url',
    'target with a slash',
    'Compared letter for letter.',
    signed({ target_url: `${receiver.target_url}/` }),
  ),
  refused(
    'wrong_target_url',
    'target that begins alike',
    'The whole of it counts.',
    signed({ target_url: `${receiver.target_url}.attacker.example.com` }),
  ),
  refused(
    'wrong_target_url',
    'duplicate target_url',
    'The last one is another; a reader of the first would see ours.',
    token(
      header,
      withFirst({ ...claims, target_url: 'https://attacker.example.com/' }, { target_url: receiver.target_url }),
    ),
  ),
]

const forms = [
  refused('malformed', 'empty', 'No body.', ''),
  refused('malformed', 'one part', 'The header alone.', goodHead),
  refused('malformed', 'truncated', 'Header and half of the payload.', good.slice(0, goodHead.length + 100)),
  refused('malformed', 'two parts', 'Without the signature and its dot.', `${goodHead}.${goodPayload}`),
  refused('malformed', 'five parts', 'An encrypted JWT has five.', `${good}.${goodPayload}.${goodSignature}`),
  refused(
    'malformed',
    'JSON form',
    'Only the compact form is sent.',
    textOf({ protected: goodHead, payload: goodPayload, signature: goodSignature }),
  ),
  refused('malformed', 'quoted', 'There is no JSON around it.', JSON.stringify(good)),
  refused('malformed', 'line break', 'Nothing follows it.', `${good}\n`),
  refused('malformed', 'base64', 'base64url has no padding.', `${goodHead}.${goodPayload}==.${goodSignature}`),
  refused('malformed', 'header is no JSON', 'Cannot be read.', token('{"alg":"ES256"', claims)),
  refused('malformed', 'header is a list', 'Must be an object.', token([header], claims)),
  refused('malformed', 'no alg', 'Nothing says how it is signed.', token({ typ: 'JWT', kid: header.kid }, claims)),
  refused(
    'malformed',
    'no kid',
    'A key is chosen by its name, never by its place.',
    token({ alg: 'ES256', typ: 'JWT' }, claims),
  ),
  refused('malformed', 'kid is a number', 'Must be a string.', token({ ...header, kid: 1 }, claims)),
  refused(
    'malformed',
    'critical extension',
    'crit names what the reader must understand (RFC 7515, 4.1.11).',
    token({ ...header, crit: ['more'], more: 1 }, claims),
  ),
  refused('malformed', 'payload is no JSON', 'Signed, and cannot be read.', token(header, 'PersonDeleted_v1')),
  refused('malformed', 'payload is a list', 'Must be an object.', token(header, [claims])),
  refused('malformed', 'payload is no UTF-8', 'Signed, and not text.', token(header, invalidUtf8)),
  refused(
    'malformed',
    'aud is a list',
    'A webhook is for one organization, and says so with a string.',
    signed({ aud: [receiver.organization_id, 'other'] }),
  ),
  refused('malformed', 'exp is text', 'Must be a number.', signed({ exp: String(claims.exp) })),
  refused('malformed', 'content is text', 'Must be an object.', signed({ trigger_content: textOf(content) })),
  refused('malformed', 'content is null', 'Must be an object.', signed({ trigger_content: null })),
  refused('malformed', 'content is a list', 'Must be an object.', signed({ trigger_content: [content] })),
  refused('malformed', 'an event as a hook', 'A name has one trigger_type.', signed({ trigger_type: 'sync_hook' })),
  refused('malformed', 'a hook as an event', 'A name has one trigger_type.', signed({ trigger_name: 'token_minted' })),
  refused('malformed', 'lives too long', 'exp is five minutes after iat.', signed({ exp: now + 301 })),
  refused('malformed', 'lives for ever', 'A number that is no time.', signed({ exp: 1e300 })),
  refused('malformed', 'made before 1970', 'A number that is no time.', signed({ iat: -1 })),
  refused('malformed', 'made between two seconds', 'Times are whole seconds.', signed({ iat: now + 0.5 })),
  ...Object.keys(claims).map((claim) =>
    refused('malformed', `no ${claim}`, 'Every claim of 6.3 is there.', token(header, without(claim))),
  ),
  refused('too_large', 'giant', 'Four million characters are not read, or not believed.', {
    repeat: 'A',
    times: 4_000_000,
  }),
  refused('too_large', 'giant of dots', 'Four million dots cost nothing to speak of.', {
    repeat: '.',
    times: 4_000_000,
  }),
]

const at = (seconds: number, key: KeyName = 'current', kid = testKeys[key].kid) =>
  token({ ...header, kid }, claimsAt(now + seconds), key)
const ok = (body: Body): Request => ({ expect: 'accepted', body })
const no = (code: string, body: Body): Request => ({ expect: 'refused', code, body })
const up = (...names: KeyName[]): KeySetAnswer => ({ status: 200, body: published(...names) })
const step = (seconds: number, key_set: KeySetAnswer, fetches_at_most: number, ...requests: Request[]): Step => ({
  at: seconds,
  key_set,
  fetches_at_most,
  requests,
})
const storm = (seconds: number) =>
  Array.from({ length: 20 }, (_, place) => no('unknown_key', at(seconds, 'foreign', `made-up-${place}`)))

const down: KeySetAnswer = { status: 503 }
const slow: KeySetAnswer = { status: 'never' }
const stories: Story[] = [
  {
    name: 'key set is kept',
    says: 'Twenty at once cost one fetch, and those of the next minutes none.',
    steps: [
      step(0, up('current', 'next'), 1, ...Array.from({ length: 20 }, () => ok(at(0)))),
      step(120, up('current', 'next'), 0, ok(at(120)), ok(at(120, 'next'))),
    ],
  },
  {
    name: 'storm of unknown kids',
    says: 'They cost one fetch, not twenty, and nobody else is refused for them.',
    steps: [
      step(0, up('current', 'next'), 1, ok(at(0))),
      step(60, up('current', 'next'), 1, ...storm(60), ok(at(60))),
      step(61, up('current', 'next'), 0, ...storm(61), ok(at(61))),
    ],
  },
  {
    name: 'key set down',
    says: 'Without keys nothing is accepted; with keys what they sign still is.',
    steps: [
      step(0, down, 1, no('keys_unavailable', at(0))),
      step(60, up('current', 'next'), 1, ok(at(60))),
      step(600, down, 1, ok(at(600)), ok(at(600, 'next'))),
      step(660, down, 1, no('keys_unavailable', at(660, 'later')), ok(at(660))),
      step(720, up('current', 'next', 'later'), 1, ok(at(720)), ok(at(720, 'later'))),
    ],
  },
  {
    name: 'key set down for long',
    says: 'Its keys go on for an hour after the five minutes, and no longer: one of them may have been withdrawn.',
    steps: [
      step(0, up('current', 'next'), 1, ok(at(0))),
      step(3_899, down, 1, ok(at(3_899))),
      step(3_910, down, 1, no('keys_unavailable', at(3_910)), no('keys_unavailable', at(3_910, 'next'))),
      step(3_970, up('next', 'later'), 1, no('unknown_key', at(3_970)), ok(at(3_970, 'next'))),
    ],
  },
  {
    name: 'key set slow',
    says: 'It is given up, and the keys that are there go on in time to answer a hook.',
    steps: [
      step(0, slow, 1, no('keys_unavailable', at(0))),
      step(60, up('current', 'next'), 1, ok(at(60))),
      step(600, slow, 1, ok(at(600))),
    ],
  },
  {
    name: 'key set is none',
    says: 'What is answered must be a key set, and come from where it was asked for.',
    steps: [
      step(0, { status: 200, body: { errors: [] } }, 1, no('keys_unavailable', at(0))),
      step(60, { status: 302, body: published('current') }, 1, no('keys_unavailable', at(60))),
      step(120, up('current'), 1, ok(at(120))),
    ],
  },
  {
    name: 'rotation under way',
    says: 'The next key signs before it comes first; a new one is fetched; the old one stays as long as it is published.',
    steps: [
      step(0, up('current', 'next'), 1, ok(at(0))),
      step(60, up('next', 'later', 'current'), 0, ok(at(60, 'next')), ok(at(60))),
      step(120, up('next', 'later', 'current'), 1, ok(at(120, 'later'))),
      step(900, up('next', 'later'), 1, ok(at(900, 'next')), no('unknown_key', at(900))),
    ],
  },
  {
    name: 'key withdrawn',
    says: 'A key that was taken out is not believed for longer than five minutes, however quiet it was.',
    steps: [
      step(0, up('current', 'next'), 1, ok(at(0))),
      step(301, up('next', 'later'), 1, no('unknown_key', at(301)), ok(at(301, 'next'))),
    ],
  },
]

const vectors = {
  about: 'How to run them: README.md beside this file. Made by generate.ts.',
  now,
  receiver,
  key_set: published('current', 'next'),
  tokens: [...accepting, ...signatures, ...times, ...addresses, ...forms],
  stories,
}
writeFileSync(file, `${JSON.stringify(vectors, null, 2)}\n`)
