// Reads the event contract in proto/, for the scripts that generate types and schemas from it. Works without a network.
import { execFileSync } from 'node:child_process'
import { join, resolve } from 'node:path'

export const root = resolve(import.meta.dirname, '..')

/**
 * The events, and the messages and enums that they contain, each with the path of its comment. `commentOf` returns the comment
 * at a path.
 */
export function readContract() {
  const { messageType, enumType, sourceCodeInfo } = readDescriptor()
  const comments = new Map(sourceCodeInfo.location.map((each) => [String(each.path), each.leadingComments?.trim()]))
  const used = new Set(messageType.flatMap(({ field }) => field.map(({ typeName }) => nameOf(typeName ?? ''))))
  const placed = (types, number) => types.map((type, index) => ({ ...type, path: `${number},${index}` }))
  return {
    messages: placed(messageType, 4).filter(({ name }) => used.has(name) || isEvent(name)),
    enums: placed(enumType, 5).filter(({ name }) => used.has(name)),
    commentOf: (path) => comments.get(path),
  }
}

function readDescriptor() {
  const args = ['build', '--as-file-descriptor-set', '--output', '-#format=json']
  const text = execFileSync(join(root, 'node_modules/.bin/buf'), args, { cwd: join(root, 'proto'), encoding: 'utf8' })
  return JSON.parse(text).file.find(({ name }) => name === 'events/events.proto')
}

export const isEvent = (name) => /_v\d+$/.test(name)
export const nameOf = (typeName) => typeName.replace('.events.', '')

/** A field is always present, unless the contract's comment says when it is. */
export const isOptional = (field, comment) => field.proto3Optional || /present only when/i.test(comment)
