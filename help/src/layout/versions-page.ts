import { escapeHtml as escaped, type Page } from '../pages/index.ts'

/** The versions that the changelog has: each Signet serves the help of its own. */
export function versionsPage(version: string, pages: Page[]) {
  const changelog = pages.find(({ address }) => address === 'changelog')
  const rows = (changelog?.headings ?? [])
    .filter(({ level }) => level === 2)
    .map(({ anchor, text: heading }) => {
      const isHere = heading.split(' ')[0] === version
      return `<tr><td><a href="changelog#${anchor}">${escaped(heading)}</a></td><td>${isHere ? 'these pages' : 'the Signet of that version, at <code>/help</code>'}</td></tr>`
    })
  return `<h1>Versions</h1>
<p>These pages document Signet ${escaped(version)}. Each Signet serves the help of its own version, so that what you read is what runs.
<a href="reference/versions">What is promised</a> says what a later version keeps.</p>
<div class="table"><table><thead><tr><th>version</th><th>its help</th></tr></thead><tbody>
${rows.join('\n')}
</tbody></table></div>
`
}
