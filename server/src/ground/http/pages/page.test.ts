import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { formPostPage } from './form-post-page.ts'
import { languages } from './languages.ts'
import { type Look, type Page, plainLook, present } from './page.ts'
import { redirectPage } from './redirect-page.ts'
import { escapeHtml } from './say.ts'

const page: Page = (say) => ({ title: say('back_to', { application: '<b>"Jo" & \'co\'</b>' }), body: '<p>x</p>' })
const look: Look = { language: 'de', organization: '<i>Acme</i>', brand: { accent: '#ffcc00', logo: '/sso/logos/a/b' } }
const policyOf = (shown: Page, its = plainLook) => present(shown, its).headers['content-security-policy']
const hashOf = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`

test('Text that is not our own stays text: no character of it means anything in HTML', () => {
  expect(escapeHtml('<a href="x" title=\'y\'>&</a>')).toBe(
    '&lt;a href=&quot;x&quot; title=&#39;y&#39;&gt;&amp;&lt;/a&gt;',
  )
  const { body } = present(page, look)
  expect(body).not.toMatch(/<[bi]>/)
  expect(body).toContain('alt="&lt;i&gt;Acme&lt;/i&gt;"')
})

test('The policy allows the styles that the page has, and no script', () => {
  for (const its of [plainLook, look]) {
    const styles = [...present(page, its).body.matchAll(/<style>(.*?)<\/style>/gs)].map(([, style = '']) => style)
    const policy = policyOf(page, its)
    expect(policy).toContain(`style-src ${styles.map(hashOf).join(' ')};`)
    expect(policy).toMatch(/^default-src 'none'; /)
    expect(policy).not.toMatch(/script-src|unsafe/)
  }
})

test('The policy allows a picture of our own where there is a logo, and else none', () => {
  expect(policyOf(page, look)).toContain("; img-src 'self';")
  expect(policyOf(page)).not.toContain('img-src')
  expect(policyOf(page, { language: 'en', brand: { accent: '#ffcc00' } })).not.toContain('img-src')
})

test('An accent colour that is no colour does not reach the page', () => {
  for (const accent of ['red', '#ffcc0', '#ffcc00; } body { display: none', '#FFCC00</style>', '#ffcc00\n'])
    expect(present(page, { language: 'en', brand: { accent } }).body).not.toContain('--accent:')
  expect(present(page, look).body).toContain('--accent: #ffcc00; --on-accent: #000000')
})

test('A page says which language it is in, and that it depends on what the browser reads', () => {
  for (const language of languages) {
    const { headers, body } = present(page, { language })
    expect(body).toContain(`<html lang="${language}">`)
    expect(headers).toMatchObject({ vary: 'Accept-Language', 'cache-control': 'no-store' })
  }
})

// Proves sign-in/14.
test('Forms lead to ourselves alone, also of a page that goes on to somewhere else', () => {
  const redirectTo = redirectPage('https://app.example.com/?a="b"&c')
  for (const each of [page, redirectTo]) expect(policyOf(each)).toContain("form-action 'self';")
  expect(present(page, plainLook).headers).not.toHaveProperty('refresh')
  const { headers, body } = present(redirectTo, plainLook)
  expect(headers).toHaveProperty('refresh', '0;url=https://app.example.com/?a="b"&c')
  expect(body).toContain('href="https://app.example.com/?a=&quot;b&quot;&amp;c">')
})

test('The form of a form post leads to the one origin that is allowed, by the one script that is allowed', () => {
  const posting = formPostPage('https://app.example.com:8443/a?b', { state: '"><script>alert(1)</script>', code: 'x' })
  const { headers, body } = present(posting, plainLook)
  const scripts = [...body.matchAll(/<script>(.*?)<\/script>/gs)].map(([, script = '']) => script)
  expect(scripts).toHaveLength(1)
  expect(headers['content-security-policy']).toContain(`script-src ${hashOf(scripts[0] ?? '')}; `)
  expect(headers['content-security-policy']).toContain('form-action https://app.example.com:8443;')
  expect(body).toContain('value="&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;"')
  expect(policyOf(formPostPage('com.example.app:/callback', {}))).toContain('form-action com.example.app:;')
  // A source with an IPv6 address is none, and would forbid the form.
  expect(policyOf(formPostPage('http://[::1]:8080/callback', {}))).toContain('form-action http:;')
})
