/** Deliveries that differ only in event and place, as one row: both in the same order, as one aggregation gathers them. */
export type Alike = { event_ids: string; places: string }

export function eachOf({ event_ids, places }: Alike): { eventId: string; place: string }[] {
  const inOrder = places.split(' ')
  return event_ids.split(' ').map((eventId, index) => ({ eventId, place: inOrder[index] as string }))
}
