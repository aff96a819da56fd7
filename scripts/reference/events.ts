import { type EventName, exampleOfEvent } from '../../server/src/delivery/events/index.ts'
import { type DescribedEvents, describeEvents } from './described-events.ts'
import { generatedFrom, linked } from './text.ts'

export const eventsPage = { path: 'docs/reference/events.md', render: () => pageText(describeEvents()) }

type Message = DescribedEvents['parts'][number]
type Enum = DescribedEvents['enums'][number]

const pageText = ({ events, parts, enums }: DescribedEvents) => `# Events

${generatedFrom('`proto/events/events.proto`, and the examples from the code that makes test events')}

All ${events.length} events, each with its fields, their numbers in protobuf, and an example. How they arrive, and what to check: [receiving
webhooks](../use/receiving-webhooks.md); in order, without being called: [the feed](../use/feed.md). The contract as a file is
[events.proto](../../proto/events/events.proto). A number is never changed or used again, and a changed event is a new one, \`_v2\`:
[versions](versions.md#events). In JSON every field is present, also when it is empty, zero or false, unless its text says when.

${events.map(({ name, text }) => `- [\`${name}\`](#${name.toLowerCase()}): ${linked(firstSentence(text))}`).join('\n')}

${[...events.map(eventText), '## What events consist of\n', ...parts.map(messageText), ...enums.map(enumText)].join('\n')}`

const firstSentence = (text: string) => text.split('. ', 1)[0]?.replace(/\.$/, '') ?? ''

const eventText = ({ name, text, fields }: Message) =>
  `## ${name}\n\n${linked(text)}\n\n${tableOf(fields)}\n${exampleText(name as EventName)}`

const exampleText = (name: EventName) => `\`\`\`json\n${JSON.stringify(exampleOfEvent(name), null, 2)}\n\`\`\`\n`

const messageText = ({ name, text, fields }: Message) => `### ${name}\n\n${linked(text)}\n\n${tableOf(fields)}`

const tableOf = (fields: Message['fields']) =>
  ['| number | field | type | meaning |', '|---|---|---|---|', ...fields.map(rowOf), ''].join('\n')

const rowOf = ({ number, name, type, isRepeated, text }: Message['fields'][number]) =>
  `| ${number} | \`${name}\` | ${isRepeated ? 'list of ' : ''}${typeText(type)} | ${linked(text)} |`

/** A type of the contract leads to its section. */
const typeText = (type: string) => (/^[A-Z]/.test(type) ? `[${type}](#${type.toLowerCase()})` : type)

const enumText = ({ name, text, values }: Enum) =>
  [
    `### ${name}\n\n${linked(text)}\n\n| number | name | meaning |\n|---|---|---|`,
    ...values.map((value) => `| ${value.number} | \`${value.name}\` | ${linked(value.text)} |`),
    '',
  ].join('\n')
