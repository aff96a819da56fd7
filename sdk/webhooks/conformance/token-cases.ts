// The webhooks of the kit, each with one fault at most, so that the order in which a receiver checks makes no difference.
import { createHmac, createPublicKey } from 'node:crypto'
import {
  type Body,
  content,
  encode,
  header,
  type Maker,
  makerFor,
  privateKey,
  published,
  type Situation,
  signatureOf,
  testKeys,
  textOf,
  token,
  tokenMinted,
  type Verdict,
} from './make-token.ts'

export type Token = Verdict & { body: Body; name: string; says: string }

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
const without = (part: object, claim: string) =>
  Object.fromEntries(Object.entries(part).filter(([name]) => name !== claim))
const hs256 = (goodPayload: string, secret: string | Buffer) => {
  const input = `${encode({ ...header, alg: 'HS256' })}.${goodPayload}`
  return `${input}.${createHmac('sha256', secret).update(input).digest('base64url')}`
}
const publicPem = () => createPublicKey(privateKey('current')).export({ type: 'spki', format: 'pem' })
const inDer = (input: string) => `${input}.${encode(signatureOf(input, privateKey('current'), 'der'))}`
const groups = Array.from({ length: 1_000 }, (_, index) => `group-${String(index).padStart(4, '0')}`)
const invalidUtf8 = (claims: object) =>
  Buffer.concat([Buffer.from(textOf(claims).replace('}}', ',"x":"')), Buffer.of(0xff), Buffer.from('"}}')])

const accepting = ({ claims, claimsAt, good, now, signed }: Maker): Token[] => [
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
    signed({ trigger_type: 'sync_hook', trigger_name: 'token_minted', trigger_content: tokenMinted }),
  ),
]

const signatures = ({ claims, good, goodHead, goodPayload, goodSignature, receiver }: Maker): Token[] => [
  refused('bad_signature', 'alg none', 'Nothing is signed.', `${encode({ ...header, alg: 'none' })}.${goodPayload}.`),
  refused('bad_signature', 'alg None', 'In another spelling.', `${encode({ ...header, alg: 'None' })}.${goodPayload}.`),
  refused(
    'bad_signature',
    'alg none, signed',
    'The algorithm is not allowed, whatever comes with it.',
    `${encode({ ...header, alg: 'none' })}.${goodPayload}.${goodSignature}`,
  ),
  refused(
    'bad_signature',
    'HS256, public key as PEM',
    'The public key is no secret.',
    hs256(goodPayload, publicPem() as string),
  ),
  refused(
    'bad_signature',
    'HS256, public key as JWK',
    'The public key is no secret.',
    hs256(goodPayload, textOf(published('current').keys[0] as object)),
  ),
  refused('bad_signature', 'HS256, empty secret', 'No secret at all.', hs256(goodPayload, '')),
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
    token({ ...header, jku: `${receiver.issuer}/elsewhere` }, claims, 'foreign'),
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
  refused(
    'bad_signature',
    'signature in DER',
    'A JWT has r and s, 64 bytes (RFC 7518, 3.4).',
    inDer(`${goodHead}.${goodPayload}`),
  ),
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
    'unknown kid, known key',
    'Signed by a key of the set, under a name that is not in it.',
    token({ ...header, kid: 'made-up' }, claims),
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

const times = ({ claims, claimsAt, now, signed }: Maker): Token[] => [
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

const addresses = ({ claims, receiver, signed }: Maker): Token[] => [
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

const forms = ({ claims, good, goodHead, goodPayload, goodSignature, now, receiver, signed }: Maker): Token[] => [
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
  refused('malformed', 'payload is no UTF-8', 'Signed, and not text.', token(header, invalidUtf8(claims))),
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
    refused('malformed', `no ${claim}`, 'Every claim of 6.3 is there.', token(header, without(claims, claim))),
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

export function tokensFor(situation: Situation): Token[] {
  const maker = makerFor(situation)
  return [accepting, signatures, times, addresses, forms].flatMap((cases) => cases(maker))
}
