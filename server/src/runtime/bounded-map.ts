/** Sets it as the newest entry, and forgets the oldest when there are more than `most`: a map in the order of its use. */
export function setBounded<Key, Value>(map: Map<Key, Value>, key: Key, value: Value, most: number) {
  map.delete(key)
  map.set(key, value)
  if (map.size > most) map.delete(map.keys().next().value as Key)
}
