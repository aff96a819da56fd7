type Field = { number: number; type: string; list?: true; optional?: true }
export type Events = {
  messages: Record<string, Record<string, Field>>
  enums: Record<string, Record<string, number>>
}

/** What of the kept events no longer holds: it breaks who receives them. */
export const compareEvents = (kept: Events, now: Events): string[] =>
  [
    ...Object.entries(kept.messages).flatMap(([name, fields]) => compareFields(name, fields, now.messages[name])),
    ...Object.entries(kept.enums).flatMap(([name, values]) => compareValues(name, values, now.enums[name])),
  ].map((problem) => `${problem}: breaks receivers, and readers of the feed`)

function compareFields(message: string, kept: Events['messages'][string], now: Events['messages'][string] | undefined) {
  if (!now) return [`${message} is gone`]
  return Object.entries(kept).flatMap(([name, field]) => {
    const taker = Object.entries(now).find(([other, { number }]) => number === field.number && other !== name)
    return [
      ...(taker ? [`${message}.${taker[0]} has the number ${field.number}, which was that of ${name}`] : []),
      ...problemsOf(field, now[name]).map((problem) => `${message}.${name} ${problem}`),
    ]
  })
}

function problemsOf(kept: Field, now: Field | undefined): string[] {
  if (!now) return ['is gone']
  return [
    ...(kept.number === now.number ? [] : [`has the number ${now.number} in place of ${kept.number}`]),
    ...(typeOf(kept) === typeOf(now) ? [] : [`is ${typeOf(now)} in place of ${typeOf(kept)}`]),
    ...(now.optional && !kept.optional ? ['may be absent now'] : []),
  ]
}

const typeOf = ({ type, list }: Field) => (list ? `a list of ${type}` : type)

function compareValues(name: string, kept: Events['enums'][string], now: Events['enums'][string] | undefined) {
  if (!now) return [`${name} is gone`]
  return Object.entries(kept)
    .filter(([value, number]) => now[value] !== number)
    .map(([value, number]) => `${name}.${value} is ${now[value] ?? 'gone'} in place of ${number}`)
}
