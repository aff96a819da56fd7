import { type Door, markdownOf } from './pages/index.ts'

/** For programs that read the help: what there is, page by page, as https://llmstxt.org has it. */
export const llmsText = (version: string, doors: Door[]) => `# Signet ${version}

> A self-hosted, multi-tenant identity service: it signs people in by OpenID Connect through each customer's identity provider, keeps
> persons and groups, and sends every change as a signed, durable webhook. These are the pages of its help, as Markdown.
${doors.map(section).join('')}`

const section = ({ name, pages }: Door) =>
  `\n## ${name}\n\n${pages.map(({ address, title, summary }) => `- [${title}](${markdownOf(address)}): ${summary}\n`).join('')}`
