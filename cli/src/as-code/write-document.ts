import { Document, Scalar, visit } from 'yaml'
import { escapeCodePoint, printable } from '../output.ts'

/** A variable to set before the file is applied, and what it stands for. */
export type Variable = { name: string; about: string }
type About = { organizationId: string; variables: Variable[] }

/** Characters that a terminal or an editor would not show, but for the line feed. */
const unprintable = /[^\P{C}\n]|[\p{Zl}\p{Zp}]/gu

/** A block would lose the blanks of a first line that has nothing else. */
const needsQuotes = (text: string) => text.search(unprintable) >= 0 || /^ +(\n|$)/.test(text)

/** It begins with `---`, so that several exports one after the other are one file. */
export function writeDocument(content: object, { organizationId, variables }: About): string {
  const document = new Document(content, { version: '1.2', compat: 'yaml-1.1', aliasDuplicateObjects: false })
  visit(document, {
    Scalar: (_, scalar) => {
      if (typeof scalar.value === 'string' && needsQuotes(scalar.value)) scalar.type = Scalar.QUOTE_DOUBLE
    },
  })
  const body = document.toString({ lineWidth: 0 }).replace(unprintable, escapeCodePoint)
  return ['---', ...comments(organizationId, variables), body].join('\n')
}

const comments = (organizationId: string, variables: Variable[]): string[] => [
  `# Organization ${organizationId}. It is applied to the organization that the command is connected to; to name one here:`,
  `# organization: ${organizationId}`,
  '# api_key: $' + '{SIGNET_API_KEY}',
  ...(variables.length > 0 ? ['# Environment variables, needed where what they stand for is new or changes:'] : []),
  ...variables.map(({ name, about }) => `#   ${name}: ${printable(about)}`),
]
