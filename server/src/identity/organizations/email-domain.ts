import { domainToASCII } from 'node:url'

/** Characters that a URL parser would not read as part of the name. */
const notOfAName = /[\s\p{C}%/\\?#@:[\]]/u
/** Two labels or more, the last of which begins with a letter, as in no IP address. */
const form = /^(?=.{1,253}$)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?$/

/** Gives the domain as A-labels in lower case; undefined when `text` is no domain name. */
export function toEmailDomain(text: string): string | undefined {
  if (notOfAName.test(text)) return undefined
  const domain = domainToASCII(text)
  return form.test(domain) ? domain : undefined
}
