import { type Field as Declared, isEvent, isOptional, nameOf, readContract } from '../event-contract.ts'

type Field = { name: string; number: number; type: string; isRepeated: boolean; isOptional: boolean; text: string }
type Message = { name: string; text: string; fields: Field[] }
type Enum = { name: string; text: string; values: { name: string; number: number; text: string }[] }
export type DescribedEvents = { events: Message[]; parts: Message[]; enums: Enum[] }

/** As the descriptor of `proto/events/events.proto` has them, with the comments there. */
export function describeEvents(): DescribedEvents {
  const { messages, enums, commentOf } = readContract()
  const textOf = (path: string) => (commentOf(path) ?? '').replaceAll(/\s*\n\s*/g, ' ')
  const described = messages.map(({ name, field, path }) => ({
    name,
    text: textOf(path),
    fields: field.map((each, index) => fieldOf(each, textOf(`${path},2,${index}`))),
  }))
  return {
    events: described.filter(({ name }) => isEvent(name)),
    parts: described.filter(({ name }) => !isEvent(name)),
    enums: enums.map(({ name, value, path }) => ({
      name,
      text: textOf(path),
      values: value.map((each, index) => ({
        name: each.name,
        number: each.number ?? 0,
        text: textOf(`${path},2,${index}`),
      })),
    })),
  }
}

const fieldOf = (field: Declared, text: string): Field => ({
  name: field.jsonName,
  number: field.number,
  type: field.typeName ? nameOf(field.typeName) : field.type.replace('TYPE_', '').toLowerCase(),
  isRepeated: field.label === 'LABEL_REPEATED',
  isOptional: isOptional(field, text),
  text,
})
