// JSON Schemas of the events for the OpenAPI document, generated from the contract in proto/: `npm run generate -w @signet/proto`
// writes them, and `npm run check` compares them. Their descriptions are the contract's comments.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isOptional, nameOf, readContract, root } from './event-contract.ts'

export const schemasFile = 'proto/schemas.json'

const scalars = { TYPE_BOOL: 'boolean', TYPE_STRING: 'string', TYPE_UINT64: 'integer' }

/** The text of `schemasFile`: enums and messages by name, members in the order of their numbers. */
export function eventSchemas() {
  const { messages, enums, commentOf } = readContract()
  const schemas = [
    ...enums.map(({ name, value, path }) => [name, enumSchema(value, path, commentOf)]),
    ...messages.map(({ name, field, path }) => [name, messageSchema(field, path, commentOf)]),
  ]
  return `${JSON.stringify(Object.fromEntries(schemas), null, 2)}\n`
}

/** Enums are numbers in a payload. */
function enumSchema(values, path, commentOf) {
  const meanings = values.map(({ name, number = 0 }, index) => `${number}: ${name}. ${commentOf(`${path},2,${index}`)}`)
  return {
    type: 'integer',
    enum: values.map(({ number = 0 }) => number),
    description: [commentOf(path), ...meanings].join('\n'),
  }
}

function messageSchema(fields, path, commentOf) {
  const described = fields.map((field, index) => ({ field, text: commentOf(`${path},2,${index}`) }))
  return {
    type: 'object',
    description: commentOf(path),
    required: described.filter(({ field, text }) => !isOptional(field, text)).map(({ field }) => field.jsonName),
    properties: Object.fromEntries(described.map(({ field, text }) => [field.jsonName, fieldSchema(field, text)])),
  }
}

function fieldSchema({ type, typeName, label }, description) {
  const one = scalars[type] ? { type: scalars[type] } : { $ref: `#/components/schemas/${nameOf(typeName)}` }
  return label === 'LABEL_REPEATED' ? { description, type: 'array', items: one } : { description, ...one }
}

if (import.meta.main) writeFileSync(join(root, schemasFile), eventSchemas())
