import {
  type Body,
  claimsAt,
  header,
  type KeyName,
  now,
  published,
  testKeys,
  token,
  type Verdict,
} from './make-token.ts'

type Request = Verdict & { body: Body }
/** How the key set's address answers: with a status, or never. */
type KeySetAnswer = { status: number; body?: object } | { status: 'never' }
type Step = { at: number; key_set: KeySetAnswer; fetches_at_most: number; requests: Request[] }
type Story = { name: string; says: string; steps: Step[] }

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
export const stories: Story[] = [
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
    says: 'They cost one fetch, not twenty, the next after a second, then after two and so on to a minute; nobody else is refused for them.',
    steps: [
      step(0, up('current', 'next'), 1, ok(at(0))),
      step(60, up('current', 'next'), 1, ...storm(60), ok(at(60))),
      step(60, up('current', 'next'), 0, ...storm(60), ok(at(60))),
      step(61, up('current', 'next'), 1, ...storm(61), ok(at(61))),
      step(62, up('current', 'next'), 0, ...storm(62), ok(at(62))),
      step(63, up('current', 'next'), 1, ...storm(63), ok(at(63))),
      step(66, up('current', 'next'), 0, ...storm(66), ok(at(66))),
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
    name: 'key set is empty or in part',
    says: 'Signet publishes neither: the keys that are there go on, as where the set is down.',
    steps: [
      step(0, { status: 200, body: { keys: [] } }, 1, no('keys_unavailable', at(0))),
      step(60, up('current', 'next'), 1, ok(at(60))),
      step(600, { status: 200, body: { keys: [] } }, 1, ok(at(600)), ok(at(600, 'next'))),
      step(660, { status: 200, body: { keys: [{ kty: 'EC', crv: 'P-256', x: 'AA' }] } }, 1, ok(at(660))),
      step(720, { status: 200, body: { keys: [{ kty: 'RSA', kid: 'rsa', n: 'AQAB', e: 'AQAB' }] } }, 1, ok(at(720))),
    ],
  },
  {
    name: 'key changed right after a fetch',
    says: 'A kid that nobody has seen is worth a fetch at once.',
    steps: [
      step(0, up('current'), 1, ok(at(0))),
      step(0, up('next'), 1, ok(at(0, 'next'))),
      step(0, up('later'), 1, ok(at(0, 'later'))),
      step(1, up('later'), 1, ...storm(1)),
      step(2, up('current', 'later'), 1, ok(at(2))),
      step(2, up('next'), 1, ok(at(2, 'next'))),
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
