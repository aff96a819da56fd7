// The types of the events for receivers, made from the one contract in proto/: `npm run generate -w @signet/proto` writes
// them, and `npm run check` sees whether they are fresh. Comments are those of the contract. Works without a network.
import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

const root = resolve(import.meta.dirname, '..')
export const typesFile = 'sdk/webhooks/src/events.ts'

const head = `// Made from proto/events/events.proto by scripts/webhook-types.mjs: do not edit.
`

const scalars = { TYPE_BOOL: 'boolean', TYPE_STRING: 'string', TYPE_UINT64: 'number' }

/** The text of `typesFile`. */
export function webhookTypes() {
  const { messageType, enumType, sourceCodeInfo } = readContract()
  const comments = new Map(sourceCodeInfo.location.map((each) => [String(each.path), each.leadingComments?.trim()]))
  const events = messageType.filter(({ name }) => /_v\d+$/.test(name))
  const used = new Set(messageType.flatMap(({ field }) => field.map(({ typeName }) => nameOf(typeName ?? ''))))
  const enums = enumType.flatMap((each, index) => (used.has(each.name) ? enumText(each, `5,${index}`, comments) : []))
  const messages = messageType.flatMap((each, index) =>
    used.has(each.name) || events.includes(each) ? messageText(each, `4,${index}`, comments) : [],
  )
  return [head, ...enums, ...messages, eventsText(events)].join('\n')
}

function readContract() {
  const args = ['build', '--as-file-descriptor-set', '--output', '-#format=json']
  const text = execFileSync(join(root, 'node_modules/.bin/buf'), args, { cwd: join(root, 'proto'), encoding: 'utf8' })
  return JSON.parse(text).file.find(({ name }) => name === 'events/events.proto')
}

const nameOf = (typeName) => typeName.replace('.events.', '')

/** Enums are numbers in a payload. */
function enumText({ name, value }, path, comments) {
  const members = value.map((each, index) => [
    comment(comments.get(`${path},2,${index}`), '  '),
    `  ${each.name}: ${each.number ?? 0},\n`,
  ])
  const type = `export type ${name} = (typeof ${name})[keyof typeof ${name}]\n`
  return `${comment(comments.get(path))}export const ${name} = {\n${members.flat().join('')}} as const\n${type}`
}

function messageText({ name, field }, path, comments) {
  const members = field.map((each, index) => memberText(each, comments.get(`${path},2,${index}`)))
  return `${comment(comments.get(path))}export type ${name} = {\n${members.join('')}}\n`
}

/** A field is there always, but where the contract's comment says when. */
function memberText(field, text) {
  const mark = field.proto3Optional || /present only when/i.test(text) ? '?' : ''
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
