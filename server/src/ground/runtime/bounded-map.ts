/** Sets the entry as the newest one and evicts the oldest beyond `limit`. Set on every use, the map is an LRU cache. */
export function setBounded<Key, Value>(map: Map<Key, Value>, key: Key, value: Value, limit: number) {
  map.delete(key)
  map.set(key, value)
  if (map.size > limit) map.delete(map.keys().next().value as Key)
}
