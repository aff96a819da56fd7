type Thing = Record<string, unknown>

/**
 * As it is stored: a member that is what the entry calls its target, such as the id of a person, is null, for the entry has it already.
 * No other member of a concealed thing is null.
 */
export const storedThing = (thing: Thing, targetId: string): Thing =>
  Object.fromEntries(Object.entries(thing).map(([name, value]) => [name, value === targetId ? null : value]))

export const withTarget = (stored: object, targetId: string): object =>
  Object.fromEntries(Object.entries(stored).map(([name, value]) => [name, value ?? targetId]))
