import { isIPv4 } from 'node:net'

/** Characters of the URL, as entered and as sent. */
const maxLength = 2_048

/** Rules on the raw string; everything between `https://` and the next `/` counts as the host part. */
const rulesAsGiven: [breaks: RegExp, rule: string][] = [
  [/[\s\p{Cc}\p{Cs}]/u, 'must not contain white space or control characters'],
  [/^(?!https:\/\/[^/?#\\])/, 'must start with https:// and a host'],
  [/\\/, 'must not contain a back slash'],
  [/\?/, 'must not have a query'],
  [/#/, 'must not have a fragment'],
  [/^https:\/\/[^/]*@/, 'must not have a user or password'],
  [/^https:\/\/[^/]*%/, 'must not have a percent-encoded host'],
  [/^https:\/\/\[/, 'must not be an IP address'],
  [/^https:\/\/[^/]*:(?![1-9]\d{0,4}(?:\/|$))/, 'must have a port from 1 to 65535, or none'],
]

/** Invisible characters, most of which a URL parser silently removes from a host name. */
const invisibleInHost = /^https:\/\/[^/?]*[\p{Cf}\p{Default_Ignorable_Code_Point}]/u

/** A DNS name, with the underscore that some private names have. */
const hostName = /^(?=.{1,253}$)[a-z0-9_-]{1,63}(?:\.[a-z0-9_-]{1,63})*$/

/**
 * The rule for a target (2.4, `target_url`), applied to the raw string: a URL parser would turn much into a valid URL that
 * another parser reads differently. Addresses are checked at every request (`outbound`).
 *
 * `normalized` identifies the same target in another spelling; `problem` is text for the caller. Without `allowPorts` any
 * port is allowed.
 */
export function checkTargetUrl(
  text: string,
  allowPorts?: ReadonlySet<number>,
): { normalized: string } | { problem: string } {
  const broken = brokenRuleAsGiven(text)
  if (broken) return { problem: `target_url: ${broken}${hintOfListen(text)}` }
  const url = URL.parse(text)
  const rule = url ? brokenRuleAsParsed(url, text, allowPorts) : 'must have a valid host name'
  if (!url || rule) return { problem: `target_url: ${rule}${hintOfListen(text)}` }
  return { normalized: url.href }
}

/** The rule that a target with or without a query breaks, which need not be the only one of its kind. */
export function brokenTargetRule(text: string, allowPorts?: ReadonlySet<number>): string | undefined {
  const broken = brokenRuleAsGiven(text.replaceAll('?', '/'))
  if (broken) return broken
  const url = URL.parse(text)
  return url ? brokenRuleAsParsed(url, text, allowPorts) : 'must have a valid host name'
}

/** As somebody writes it who has a receiver on their own machine; other spellings hide something. */
const isOnThisMachine = (text: string) =>
  /^https?:\/\/(?:[\w-]+\.)*(?:localhost|127(?:\.\d+){3}|\[::1\])(?::\d+)?(?:\/|$)/i.test(text)

const receiver = 'http://localhost:3000/hook'

const hintOfListen = (text: string) =>
  isOnThisMachine(text) ? `; signet listen --forward-to ${receiver} brings webhooks to your own machine` : ''

function brokenRuleAsGiven(text: string): string | undefined {
  if ([...text].length > maxLength) return `must be at most ${maxLength} characters`
  return rulesAsGiven.find(([breaks]) => breaks.test(text))?.[1]
}

/** The parser has converted international names to A-labels, and every spelling of an IPv4 address to dotted form. */
function brokenRuleAsParsed({ hostname, port, href }: URL, text: string, allowPorts: ReadonlySet<number> | undefined) {
  if (isIPv4(hostname)) return 'must not be an IP address'
  if (hostname.endsWith('.')) return 'must not have a host that ends in a dot'
  if (/(?:^|\.)localhost$/.test(hostname)) return 'must not be localhost'
  if (!hostName.test(hostname)) return 'must have a valid host name'
  if (invisibleInHost.test(text)) return 'must not have a host with invisible characters'
  if (allowPorts?.has(Number(port || 443)) === false)
    return `must have a port that the operator allows: ${[...allowPorts].join(', ')}`
  return href.length > maxLength ? `must be at most ${maxLength} characters when percent-encoded` : undefined
}
