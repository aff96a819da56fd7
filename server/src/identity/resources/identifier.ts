/** Rules for the text; the characters are those of RFC 3986. */
const rules: [breaks: RegExp, rule: string][] = [
  [/#/, 'must not have a fragment'],
  [/[^A-Za-z0-9\-._~:/?[\]@!$&'()*+,;=%]/, 'must have only the characters of a URI'],
  [/^(?![a-z][a-z0-9+.-]*:.)/, 'must be absolute, with its scheme in lower case'],
  [/^https?:(?!\/\/[^/?])/, 'must have a host'],
]

/** Gives the rule that the identifier of a resource breaks, without the field's name (RFC 8707, 2). */
export function brokenIdentifierRule(text: string): string | undefined {
  const broken = rules.find(([breaks]) => breaks.test(text))?.[1]
  return broken ?? (URL.canParse(text) ? undefined : 'must be a valid URI')
}
