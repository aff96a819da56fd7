import { domainToASCII } from 'node:url'

/** What a URL parser would read as something else than a part of the name. */
const notOfAName = /[\s\p{C}%/\\?#@:[\]]/u
/** Two labels or more, the last one beginning with a letter: no IP address does. */
const form = /^(?=.{1,253}$)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?$/

/** The domain as A-labels in lower case; undefined when it is no domain name. */
export function toEmailDomain(text: string): string | undefined {
  if (notOfAName.test(text)) return undefined
  const domain = domainToASCII(text)
  return form.test(domain) ? domain : undefined
}
