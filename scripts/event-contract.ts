// Reads the event contract in proto/, for what is generated from it. Works without a network.
import { execFileSync } from 'node:child_process'
import { join, resolve } from 'node:path'

/** A part of `FileDescriptorProto`, in protobuf's JSON form. */
type Descriptor = {
  messageType: { name: string; field: Field[] }[]
  enumType: { name: string; value: { name: string; number?: number }[] }[]
  sourceCodeInfo: { location: { path: number[]; leadingComments?: string }[] }
}
export type Field = {
  name: string
  jsonName: string
  number: number
  type: string
  typeName?: string
  label: string
  proto3Optional?: boolean
}

export const root = resolve(import.meta.dirname, '..')

/**
 * The events, and the messages and enums that they contain, each with the path of its comment. `commentOf` returns the comment
 * at a path.
 */
export function readContract() {
  const { messageType, enumType, sourceCodeInfo } = readDescriptor()
  const comments = new Map(sourceCodeInfo.location.map((each) => [String(each.path), each.leadingComments?.trim()]))
  const used = new Set(messageType.flatMap(({ field }) => field.map(({ typeName }) => nameOf(typeName ?? ''))))
  return {
    messages: placed(messageType, 4).filter(({ name }) => used.has(name) || isEvent(name)),
    enums: placed(enumType, 5).filter(({ name }) => used.has(name)),
    commentOf: (path: string) => comments.get(path),
  }
}

const placed = <Type>(types: Type[], number: number) =>
  types.map((type, index) => ({ ...type, path: `${number},${index}` }))

function readDescriptor(): Descriptor {
  const args = ['build', '--as-file-descriptor-set', '--output', '-#format=json']
  const text = execFileSync(join(root, 'node_modules/.bin/buf'), args, { cwd: join(root, 'proto'), encoding: 'utf8' })
  return JSON.parse(text).file.find(({ name }: { name: string }) => name === 'events/events.proto')
}

export const isEvent = (name: string) => /_v\d+$/.test(name)
export const nameOf = (typeName: string) => typeName.replace('.events.', '')

/** A field is always present, unless the contract's comment says when it is. */
export const isOptional = (field: Field, comment = '') =>
  field.proto3Optional === true || /present only when/i.test(comment)
