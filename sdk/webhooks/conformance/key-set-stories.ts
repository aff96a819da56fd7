// How a receiver gets its keys over time: what the key set's address answers, what is asked, and how many fetches that may cost.
import {
  type Body,
  claimsFor,
  header,
  type KeyName,
  published,
  type Situation,
  testKeys,
  token,
  type Verdict,
} from './make-token.ts'

export type Request = Verdict & { body: Body }
/** How the key set's address answers: with a status, or never. */
export type KeySetAnswer = { status: number; body?: object } | { status: 'never' }
export type Step = {
  at: number
  key_set: KeySetAnswer
  fetches_at_most: number
  answered_within?: number
  requests: Request[]
}
export type Story = { name: string; says: string; steps: Step[] }
/** Signs at so many seconds after the beginning. */
type At = (seconds: number, key?: KeyName, kid?: string) => string

const ok = (body: Body): Request => ({ expect: 'accepted', body })
const no = (code: string, body: Body): Request => ({ expect: 'refused', code, body })
const up = (...names: KeyName[]): KeySetAnswer => ({ status: 200, body: published(...names) })
const step = (seconds: number, key_set: KeySetAnswer, fetches_at_most: number, ...requests: Request[]): Step => ({
  at: seconds,
  key_set,
  fetches_at_most,
  requests,
})
const within = (answered_within: number, { requests, ...rest }: Step): Step => ({ ...rest, answered_within, requests })
const storm = (at: At, seconds: number, length = 20) =>
  Array.from({ length }, (_, place) => no('unknown_key', at(seconds, 'foreign', `made-up-${place}`)))

const down: KeySetAnswer = { status: 503 }
const slow: KeySetAnswer = { status: 'never' }
/** What Signet answers for an organization that it does not have. */
const nobody: KeySetAnswer = {
  status: 404,
  body: { errors: [{ httpcode: 404, message: 'organization: does not exist' }] },
}

export function storiesFor({ now, receiver }: Situation): Story[] {
  const at: At = (seconds, key = 'current', kid = testKeys[key].kid) =>
    token({ ...header, kid }, claimsFor({ now: now + seconds, receiver }), key)
  return [...keeping(at), ...failing(at), ...rotating(at)]
}

const keeping = (at: At): Story[] => [
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
      step(1, up('current', 'next'), 1, ...storm(at, 1), ok(at(1))),
      step(1, up('current', 'next'), 0, ...storm(at, 1), ok(at(1))),
      step(2, up('current', 'next'), 1, ...storm(at, 2), ok(at(2))),
      step(3, up('current', 'next'), 0, ...storm(at, 3), ok(at(3))),
      step(4, up('current', 'next'), 1, ...storm(at, 4), ok(at(4))),
      step(7, up('current', 'next'), 0, ...storm(at, 7), ok(at(7))),
    ],
  },
]

const failing = (at: At): Story[] => [
  {
    name: 'key set comes up',
    says: 'A receiver that was started before Signet accepts soon after: not more than five seconds pass between two fetches.',
    steps: [
      step(0, down, 1, no('keys_unavailable', at(0))),
      step(6, up('current', 'next'), 1, ok(at(6)), ok(at(6, 'next'))),
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
    says: 'Its keys go on for ten minutes at least, and not for a day: one of them may have been withdrawn.',
    steps: [
      step(0, up('current', 'next'), 1, ok(at(0))),
      step(900, down, 1, ok(at(900))),
      step(86_400, down, 1, no('keys_unavailable', at(86_400)), no('keys_unavailable', at(86_400, 'next'))),
      step(86_460, up('next', 'later'), 1, no('unknown_key', at(86_460)), ok(at(86_460, 'next'))),
    ],
  },
  {
    name: 'key set slow',
    says: 'It is given up, and the keys that are there go on in time to answer a hook, for which Signet waits two seconds.',
    steps: [
      within(15, step(0, slow, 1, no('keys_unavailable', at(0)))),
      step(60, up('current', 'next'), 1, ok(at(60))),
      within(5, step(600, slow, 1, ok(at(600)))),
    ],
  },
  {
    name: 'key set is none',
    says: 'What is answered must be a key set, and come from where it was asked for.',
    steps: [
      step(0, { status: 200, body: { errors: [] } }, 1, no('keys_unavailable', at(0))),
      step(6, { status: 302, body: published('current') }, 1, no('keys_unavailable', at(6))),
      step(12, up('current'), 1, ok(at(12))),
    ],
  },
  {
    name: 'key set of an error',
    says: 'Keys count with status 200 alone: a proxy may put what it kept beneath an error.',
    steps: [
      step(0, { status: 500, body: published('current') }, 1, no('keys_unavailable', at(0))),
      step(6, up('current'), 1, ok(at(6))),
    ],
  },
  {
    name: 'no such organization',
    says: 'The key set is not down: a setting of the receiver is wrong. It is mended without a restart where the organization comes.',
    steps: [step(0, nobody, 1, no('wrong_setting', at(0))), step(6, up('current'), 1, ok(at(6)))],
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
]

const rotating = (at: At): Story[] => [
  {
    name: 'key changed right after a fetch',
    says: 'A kid that nobody has seen is worth a fetch at once.',
    steps: [
      step(0, up('current'), 1, ok(at(0))),
      step(0, up('next'), 1, ok(at(0, 'next'))),
      step(0, up('later'), 1, ok(at(0, 'later'))),
      step(1, up('later'), 1, ...storm(at, 1, 5)),
      step(6, up('current', 'later'), 1, ok(at(6))),
      step(6, up('next'), 1, ok(at(6, 'next'))),
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
