import { isLanguage, type Language, standardLanguage } from './languages.ts'

/** `uiLocales`: of the request (OpenID Connect Core, 3.1.2.1); `acceptLanguage`: of the browser; `standard`: of the organization. */
export type Wishes = {
  uiLocales?: string | undefined
  acceptLanguage?: string | undefined
  standard?: string | undefined
}

/** Of each wish so much is read, in characters; a browser sends fewer than a hundred. */
const maxRead = 1_000
const maxTagLength = 35

/** The first wish that names a language of ours decides, and in it the tag that is wanted most. */
export function preferredLanguage({ uiLocales = '', acceptLanguage = '', standard = '' }: Wishes): Language {
  const wishes = [uiLocales.slice(0, maxRead).split(/\s+/), byQuality(acceptLanguage.slice(0, maxRead)), [standard]]
  return (
    wishes
      .flat()
      .map(languageOf)
      .find((language) => language !== undefined) ?? standardLanguage
  )
}

/** `de-AT` is `de`: subtags are taken off from the right until one is ours (RFC 4647, 3.4). */
function languageOf(tag: string): Language | undefined {
  if (tag.length > maxTagLength) return undefined
  const subtags = tag.toLowerCase().split('-')
  for (let count = subtags.length; count > 0; count--) {
    const shorter = subtags.slice(0, count).join('-')
    if (isLanguage(shorter)) return shorter
  }
  return undefined
}

const rangeForm = /^\s*([\w-]+)\s*(?:;\s*q\s*=\s*([01](?:\.\d{0,3})?)\s*)?$/i

/** The tags of `Accept-Language` (RFC 9110, 12.5.4), the most wanted first; of equal ones the first. What is no range is left out. */
const byQuality = (header: string): string[] =>
  header
    .split(',')
    .map((range) => rangeForm.exec(range) ?? [])
    .map(([, tag = '', quality = '1']) => ({ tag, quality: Number(quality) }))
    .filter(({ quality }) => quality > 0)
    .sort((a, b) => b.quality - a.quality)
    .map(({ tag }) => tag)
