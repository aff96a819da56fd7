import { expect, test } from 'vitest'
import { createMarkdown, type Places, plainText, relativeTo } from '../src/pages/index.ts'

const keys = { path: 'docs/operate/keys.md', address: 'operate/keys' }
const places: Places = {
  pages: new Map([
    ['docs/README.md', ''],
    ['docs/decisions/README.md', 'decisions'],
    ['docs/operate/keys.md', 'operate/keys'],
    ['docs/use/hooks.md', 'use/hooks'],
    ['sdk/webhooks/README.md', 'sdk/webhooks'],
  ]),
  pictures: new Map([['docs/pictures/chooser.png', 'assets/chooser-abc.png']]),
}

const rendered = (text: string) => createMarkdown(places).render(text, { document: keys })
const plain = (text: string) => plainText({ ...keys, text }, places)

test.each([
  ['../use/hooks.md', '<a href="../use/hooks">', '../use/hooks.md'],
  ['../use/hooks.md#refuse-a-person', '<a href="../use/hooks#refuse-a-person">', '../use/hooks.md#refuse-a-person'],
  ['#rotation', '<a href="#rotation">', 'keys.md#rotation'],
  ['../README.md#you-operate-a-signet', '<a href="../#you-operate-a-signet">', '../index.md#you-operate-a-signet'],
  ['../decisions', '<a href="../decisions">', '../decisions.md'],
  ['../../sdk/webhooks/README.md', '<a href="../sdk/webhooks">', '../sdk/webhooks.md'],
  ['https://example.com/a#b', '<a href="https://example.com/a#b" rel="noreferrer">', 'https://example.com/a#b'],
])('A link to %s becomes one of the site, and of its Markdown', (target, link, ofMarkdown) => {
  expect(rendered(`[there](${target})`)).toBe(`<p>${link}there</a></p>\n`)
  expect(plain(`[there](${target})`)).toBe(`[there](${ofMarkdown})`)
})

test('A link to a file without a page becomes its text, and says which file that is', () => {
  const text = '[the `receiver`](../../examples/receiver/receiver.ts)'
  expect(rendered(text)).toBe(
    '<p><span class="file" title="examples/receiver/receiver.ts">the <code>receiver</code></span>, <code>examples/receiver/receiver.ts</code></p>\n',
  )
  expect(rendered('[`receiver.ts`](../../examples/receiver/receiver.ts)')).toBe(
    '<p><span class="file" title="examples/receiver/receiver.ts"><code>receiver.ts</code></span></p>\n',
  )
  expect(plain(text)).toBe('the `receiver`, `examples/receiver/receiver.ts`')
})

test('A picture lies among the assets, and one that is missing is told', () => {
  expect(rendered('![A chooser](../pictures/chooser.png)')).toContain('src="../assets/chooser-abc.png" alt="A chooser"')
  expect(plain('![A chooser](../pictures/chooser.png)')).toBe('![A chooser](../assets/chooser-abc.png)')
  expect(() => rendered('![](../pictures/none.png)')).toThrow('../pictures/none.png is not in docs/pictures')
})

test('Pages lead to each other below any path', () => {
  expect(relativeTo('', 'use/hooks')).toBe('use/hooks')
  expect(relativeTo('', '')).toBe('./')
  expect(relativeTo('use/hooks', '')).toBe('../')
  expect(relativeTo('decisions', '')).toBe('./')
  expect(relativeTo('sdk/webhooks/conformance', 'use/hooks')).toBe('../../use/hooks')
})

test('What is code stays as it is', () => {
  const text = '`[a](b.md)` and\n\n```sh\necho "[a](../use/hooks.md)" <!-- kept -->\n```'
  expect(plain(text)).toBe(text)
  expect(rendered(text)).not.toContain('<a')
})

test('Comments are for the tests of the documents, and are nowhere on the site', () => {
  const text = 'Before.\n\n<!-- not run: needs Docker -->\n```sh\ntrue\n```\n'
  expect(rendered(text)).not.toMatch(/not run|<!--/)
  expect(plain(text)).toBe('Before.\n\n```sh\ntrue\n```\n')
})

test('HTML that the policy or a reader of GitHub would not take is refused', () => {
  expect(() => rendered('<p style="color: red">red</p>')).toThrow('HTML in a document: <p style')
  expect(rendered('a<br>b <a id="key_expired"></a>')).toBe('<p>a<br>b <a id="key_expired"></a></p>\n')
})

test('Anchors are those of GitHub, and a row that begins with a name has one', () => {
  const text =
    '# The `key`, again & again\n\n## Size\n\n## Size\n\n| setting | what |\n|---|---|\n| `SIGNET_RETRY_MAX` | 30 |\n'
  const ids = [...rendered(text).matchAll(/<(\w+) id="([^"]+)"/g)].map(([, tag, id]) => `${tag} ${id}`)
  expect(ids).toEqual(['h1 the-key-again--again', 'h2 size', 'h2 size-1', 'tr signet_retry_max'])
})

test('Code is coloured by classes, and an alignment is one', () => {
  const html = rendered('```sql\nselect 1 -- one\n```\n\n| a |\n|--:|\n| 1 |\n')
  expect(html).toContain('<span class="hljs-keyword">select</span>')
  expect(html).toContain('<td class="right">1</td>')
  expect(html).not.toContain('style')
})
