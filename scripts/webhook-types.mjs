// The types of the events for receivers, generated from the contract in proto/: `npm run generate -w @signet/proto` writes
// them, and `npm run check` compares them. Their comments are the contract's.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isEvent, isOptional, nameOf, readContract, root } from './event-contract.ts'

export const typesFile = 'sdk/webhooks/src/events.ts'

const head = `// Made from proto/events/events.proto by scripts/webhook-types.mjs: do not edit.
`

const scalars = { TYPE_BOOL: 'boolean', TYPE_STRING: 'string', TYPE_UINT64: 'number' }

/** The text of `typesFile`. */
export function webhookTypes() {
  const { messages, enums, commentOf } = readContract()
  const texts = [
    ...enums.map((each) => enumText(each, commentOf)),
    ...messages.map((each) => messageText(each, commentOf)),
  ]
  return [head, ...texts, eventsText(messages.filter(({ name }) => isEvent(name)))].join('\n')
}

/** Enums are numbers in a payload. */
function enumText({ name, value, path }, commentOf) {
  const members = value.map((each, index) => [
    comment(commentOf(`${path},2,${index}`), '  '),
    `  ${each.name}: ${each.number ?? 0},\n`,
  ])
  const type = `export type ${name} = (typeof ${name})[keyof typeof ${name}]\n`
  return `${comment(commentOf(path))}export const ${name} = {\n${members.flat().join('')}} as const\n${type}`
}

function messageText({ name, field, path }, commentOf) {
  const members = field.map((each, index) => memberText(each, commentOf(`${path},2,${index}`)))
  return `${comment(commentOf(path))}export type ${name} = {\n${members.join('')}}\n`
}

function memberText(field, text) {
  const mark = isOptional(field, text) ? '?' : ''
  const type = scalars[field.type] ?? nameOf(field.typeName)
  const list = field.label === 'LABEL_REPEATED' ? '[]' : ''
  return `${comment(text, '  ')}  ${field.jsonName}${mark}: ${type}${list}\n`
}

function eventsText(events) {
  const members = events.map(({ name }) => `  ${name}: ${name}\n`)
  return `/** The content of each event, by its name. */\nexport type Events = {\n${members.join('')}}\n`
}

function comment(text, indent = '') {
  const lines = text.split('\n').map((line) => line.trim())
  if (lines.length === 1) return `${indent}/** ${lines[0]} */\n`
  return [`${indent}/**`, ...lines.map((line) => `${indent} * ${line}`), `${indent} */`, ''].join('\n')
}

if (import.meta.main) writeFileSync(join(root, typesFile), webhookTypes())
