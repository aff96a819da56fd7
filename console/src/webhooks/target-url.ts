/** What the service requires of a target. It has the last word: here one sees while typing which rule is broken. */
type TargetRule = { words: string; breaks: (text: string) => boolean }

const maxLength = 2_048
const authority = (text: string) => /^https:\/\/([^/?#]*)/.exec(text)?.[1] ?? ''

/** As a browser reads it, without what has rules of its own: every spelling of an IPv4 address becomes the dotted one. */
const hostOf = (text: string) => URL.parse(`https://${authority(text).replace(/^.*@|:\d*$/g, '')}`)?.hostname ?? ''

export const targetRules: readonly TargetRule[] = [
  {
    words: 'It starts with https:// and a valid host name.',
    breaks: (text) => !/^https:\/\/[^/?#\\]/.test(text) || hostOf(text) === '' || hostOf(text).endsWith('.'),
  },
  { words: 'The host is not localhost.', breaks: (text) => /(^|\.)localhost$/.test(hostOf(text)) },
  { words: 'The host is a name and no IP address.', breaks: (text) => /^(\[|\d+(\.\d+){3}$)/.test(hostOf(text)) },
  { words: 'It has no user or password.', breaks: (text) => authority(text).includes('@') },
  { words: 'It has no query.', breaks: (text) => text.includes('?') },
  { words: 'It has no fragment.', breaks: (text) => text.includes('#') },
  { words: 'The port, if there is one, is from 1 to 65535.', breaks: (text) => breaksPort(authority(text)) },
  {
    words: 'It has no white space, control characters or back slashes.',
    breaks: (text) => /[\s\p{Cc}\p{Cs}\\]/u.test(text),
  },
  { words: 'It has at most 2,048 characters.', breaks: (text) => [...text].length > maxLength },
]

const breaksPort = (host: string) =>
  /:(?![1-9]\d{0,4}$)[^\]]*$/.test(host) || Number(/:(\d+)$/.exec(host)?.[1] ?? 1) > 65_535
