import { createHash } from 'node:crypto'
import { shownName } from '../../runtime/shown-name.ts'
import { accentForm, textOn } from './accent.ts'
import { type Language, standardLanguage } from './languages.ts'
import { escapeHtml, type Say, sayIn } from './say.ts'
import { style } from './style.ts'

/** What a page has, in the language of `say`; all of it HTML. `organization`: its name as text, empty where it is not known. */
export type Page = (say: Say, organization: string) => Content

type Content = {
  /** Also the heading. */
  title: string
  body: string
  /** The page goes there at once: an address as `URL` serializes it. */
  redirectTo?: string
  /** The only script of the page. With it stands the source to which the form may be sent, for it is not ours. */
  posting?: { script: string; formAction: string }
  /** The title has the name of the organization. */
  isNamed?: true
}

/** What an organization has set of its look. `accent`: as `accentForm`. `logo`: a path of our own origin. */
type Brand = { accent?: string | undefined; logo?: string | undefined }
/** `organization`: what it is called there. `brand`: absent, where a page looks like one of the service. */
export type Look = { language: Language; organization?: string | undefined; brand?: Brand | undefined }

export const plainLook: Look = { language: standardLanguage }

export type Presented = { headers: Record<string, string>; body: string }

export function present(page: Page, look: Look): Presented {
  const content = page(sayIn(look.language), look.organization ?? '')
  return { headers: headersOf(content, look.brand), body: htmlOf(content, look) }
}

const htmlOf = (content: Content, look: Look): string => `<!doctype html>
<html lang="${look.language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${content.title}</title>
${stylesOf(look.brand)
  .map((each) => `<style>${each}</style>`)
  .join('\n')}
</head>
<body>
<main>
${headOf(content, look)}<h1>${content.title}</h1>
${content.body}
</main>
${content.posting ? `<script>${content.posting.script}</script>\n` : ''}</body>
</html>
`

function headOf({ isNamed }: Content, { organization = '', brand }: Look): string {
  if (!brand) return ''
  const name = escapeHtml(shownName(organization))
  if (brand.logo) return `<div class="brand"><img src="${escapeHtml(brand.logo)}" alt="${name}"></div>\n`
  return isNamed ? '' : `<p class="brand">${name}</p>\n`
}

const accentOf = (brand: Brand | undefined) => (accentForm.test(brand?.accent ?? '') ? brand?.accent : undefined)

function stylesOf(brand: Brand | undefined): string[] {
  const accent = accentOf(brand)
  return accent ? [style, `:root { --accent: ${accent}; --on-accent: ${textOn(accent)} }`] : [style]
}

const hashOf = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`

/** Allows only our own styles and forms, and a picture where there is one. No referrer: the page's address may carry a request. */
const headersOf = ({ redirectTo, posting }: Content, brand: Brand | undefined): Record<string, string> => ({
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': [
    "default-src 'none'",
    `style-src ${stylesOf(brand).map(hashOf).join(' ')}`,
    ...(brand?.logo ? ["img-src 'self'"] : []),
    ...(posting ? [`script-src ${hashOf(posting.script)}`] : []),
    `form-action ${posting?.formAction ?? "'self'"}`,
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ].join('; '),
  'cache-control': 'no-store',
  vary: 'Accept-Language',
  'referrer-policy': 'no-referrer',
  ...(redirectTo !== undefined && { refresh: `0;url=${redirectTo}` }),
})
