import { isLoopbackName } from '../../../ground/runtime/loopback-name.ts'

/** Characters, as of any target. */
const maxLength = 2_048

/** Rules on the raw string: a URL parser would accept many spellings of one target, and receivers compare it character by character. */
const rulesAsGiven: [breaks: RegExp, rule: string][] = [
  [/[\s\p{Cc}\p{Cs}]/u, 'must not contain white space or control characters'],
  [/^(?!https?:\/\/[^/?#\\])/i, 'must start with http:// or https:// and a host'],
  [/\\/, 'must not contain a back slash'],
  [/\?/, 'must not have a query'],
  [/#/, 'must not have a fragment'],
  [/^https?:\/\/[^/]*@/i, 'must not have a user or password'],
  [/^https?:\/\/(?:\[[^/\]]*\]|[^/:[\]]*):(?![1-9]\d{0,4}(?:\/|$))/i, 'must have a port from 1 to 65535, or none'],
]

const hostRule = 'must have the host localhost, a name below .localhost, an address of 127.0.0.0/8, or [::1]'

/** The rule for the address of a receiver on the listener's own machine, which Signet never calls. Undefined: nothing is wrong. */
export function problemOfLocalTarget(text: string): string | undefined {
  if (text.length > maxLength) return `must be at most ${maxLength} characters`
  const broken = rulesAsGiven.find(([breaks]) => breaks.test(text))
  if (broken) return broken[1]
  const url = URL.parse(text)
  if (!url) return portOf(text) > 65_535 ? 'must have a port from 1 to 65535, or none' : hostRule
  const asGiven = /^https?:\/\/(\[[^\]]*\]|[^/:]*)/i.exec(text)?.[1]?.toLowerCase()
  return asGiven === url.hostname && isLoopbackName(url.hostname) ? undefined : hostRule
}

const portOf = (text: string) => Number(/:(\d+)(?:\/|$)/.exec(text)?.[1])
