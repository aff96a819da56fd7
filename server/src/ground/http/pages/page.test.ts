import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { escapeHtml, pageHeaders, renderPage } from './page.ts'
import { redirectPage } from './redirect-page.ts'

const page = { title: '<b>"Jo" & \'co\'</b>', body: '<p>x</p>' }

test('Text that is not our own stays text: no character of it means anything in HTML', () => {
  expect(escapeHtml('<a href="x" title=\'y\'>&</a>')).toBe(
    '&lt;a href=&quot;x&quot; title=&#39;y&#39;&gt;&amp;&lt;/a&gt;',
  )
  expect(renderPage(page)).not.toContain('<b>')
})

test('The policy allows the one style that the page has, and no script', () => {
  const [, style = ''] = /<style>(.*?)<\/style>/s.exec(renderPage(page)) ?? []
  const policy = pageHeaders(page)['content-security-policy']
  expect(policy).toContain(`style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'`)
  expect(policy).toMatch(/^default-src 'none'; /)
  expect(policy).not.toMatch(/script-src|unsafe/)
})

// Proves sign-in/14.
test('Forms lead to ourselves alone, also of a page that goes on to somewhere else', () => {
  const redirectTo = redirectPage('https://app.example.com/?a="b"&c')
  for (const each of [page, redirectTo])
    expect(pageHeaders(each)['content-security-policy']).toContain("form-action 'self';")
  expect(pageHeaders(page)).not.toHaveProperty('refresh')
  expect(pageHeaders(redirectTo)).toHaveProperty('refresh', '0;url=https://app.example.com/?a="b"&c')
  expect(renderPage(redirectTo)).toContain('<a href="https://app.example.com/?a=&quot;b&quot;&amp;c">')
})
