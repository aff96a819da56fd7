const loopbackHosts = ['localhost', '127.0.0.1', '[::1]']

/** Rules for the text before it is parsed; the characters are those of RFC 3986. */
const textRules: [breaks: RegExp, rule: string][] = [
  [/[^A-Za-z0-9\-._~:/?[\]@!$&'()*+,;=%]/, 'must have only the characters of a URI'],
  [/^(?![a-z][a-z0-9+.-]*:)/, 'must be absolute, with its scheme in lower case'],
  [/^https?:(?!\/\/[^/?])/, 'must have a host'],
  [/^https?:\/\/[^/?]*@/, 'must not have a user or password'],
]
/** A redirect URI keeps its query, so these parameters of the redirect would occur twice. */
const reservedParameters = ['code', 'state', 'iss', 'error', 'error_description', 'error_uri']

/** Without wildcards, since a redirect URI is compared character by character. */
const hostForm = /^(?:[a-z0-9._-]+|\[[0-9a-f:.]+\])$/

/**
 * Gives the rule that a redirect URI breaks, without the field's name. Allowed are https, http to a loopback host (RFC 8252,
 * 7.3), and for a public application a scheme of its own: a domain name in reverse, hence with a period (7.1).
 */
export function brokenUriRule(text: string, confidential: boolean): string | undefined {
  const broken = text.includes('#') ? 'must not have a fragment' : brokenTextRule(text)
  if (broken) return broken
  const url = URL.parse(text)
  if (!url) return 'must be a valid URI'
  if (reservedParameters.some((name) => url.searchParams.has(name)))
    return `must have none of ${reservedParameters.join(', ')} in its query`
  return /^https?:/.test(text) ? brokenHostRule(url) : brokenSchemeRule(url, confidential)
}

/** The same for the address of an application's own page, which may have a fragment. */
export function brokenHomeUrlRule(text: string): string | undefined {
  const broken = brokenTextRule(text.replace('#', ''))
  if (broken) return broken
  const url = URL.parse(text)
  if (!url) return 'must be a valid URI'
  return /^https?:/.test(text) ? brokenHostRule(url) : 'must be https'
}

const brokenTextRule = (text: string) => textRules.find(([breaks]) => breaks.test(text))?.[1]

function brokenHostRule({ protocol, hostname }: URL): string | undefined {
  if (!hostForm.test(hostname)) return 'must have a valid host name'
  const isSafe = protocol === 'https:' || loopbackHosts.includes(hostname)
  return isSafe ? undefined : `must be https unless the host is one of ${loopbackHosts.join(', ')}`
}

function brokenSchemeRule({ protocol }: URL, confidential: boolean): string | undefined {
  if (confidential) return 'must be https: only a public application may have a scheme of its own'
  return protocol.includes('.') ? undefined : 'must be https, or have a scheme such as com.example.app'
}
