const loopbackHosts = ['localhost', '127.0.0.1', '[::1]']

/** What can be told from the text alone; RFC 3986 names the characters. */
const rulesAsGiven: [breaks: RegExp, rule: string][] = [
  [/#/, 'must not have a fragment'],
  [/[^A-Za-z0-9\-._~:/?[\]@!$&'()*+,;=%]/, 'must have only the characters of a URI'],
  [/^(?![a-z][a-z0-9+.-]*:)/, 'must be absolute, with its scheme in lower case'],
  [/^https?:(?!\/\/[^/?])/, 'must have a host'],
  [/^https?:\/\/[^/?]*@/, 'must not have a user or password'],
]
/** A redirect URI keeps its query, so what an application is answered would stand there twice. */
const answerNames = ['code', 'state', 'iss', 'error', 'error_description', 'error_uri']

/** Without the wildcard that some expect: a redirect URI is compared letter by letter. */
const hostForm = /^(?:[a-z0-9._-]+|\[[0-9a-f:.]+\])$/

/**
 * The rule for where an application may have a browser sent, without the field's name: https, or http to a loopback host
 * (RFC 8252, 7.3), or for a public application a scheme of its own, which has a period because it is a domain name in
 * reverse (7.1). Undefined: nothing is wrong.
 */
export function brokenUriRule(text: string, confidential: boolean): string | undefined {
  const broken = rulesAsGiven.find(([breaks]) => breaks.test(text))?.[1]
  if (broken) return broken
  const url = URL.parse(text)
  if (!url) return 'must be a valid URI'
  if (answerNames.some((name) => url.searchParams.has(name)))
    return `must have none of ${answerNames.join(', ')} in its query`
  return /^https?:/.test(text) ? brokenHostRule(url) : brokenSchemeRule(url, confidential)
}

function brokenHostRule({ protocol, hostname }: URL): string | undefined {
  if (!hostForm.test(hostname)) return 'must have a valid host name'
  const isSafe = protocol === 'https:' || loopbackHosts.includes(hostname)
  return isSafe ? undefined : `must be https unless the host is one of ${loopbackHosts.join(', ')}`
}

function brokenSchemeRule({ protocol }: URL, confidential: boolean): string | undefined {
  if (confidential) return 'must be https: only a public application may have a scheme of its own'
  return protocol.includes('.') ? undefined : 'must be https, or have a scheme such as com.example.app'
}
