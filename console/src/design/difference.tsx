import styles from './difference.module.css'
import type { FieldDifference } from './differences.ts'

type DifferenceProps = { differences: readonly FieldDifference[]; before?: string; after?: string }

/** Fields before and after, side by side. An absent value is a dash. */
export function Difference({ differences, before = 'Before', after = 'After' }: DifferenceProps) {
  return (
    <div className={styles.frame}>
      <table className={styles.difference}>
        <thead>
          <tr>
            <th scope="col">Field</th>
            <th scope="col">{before}</th>
            <th scope="col">{after}</th>
          </tr>
        </thead>
        <tbody>
          {differences.map((difference) => (
            <tr key={difference.name}>
              <th scope="row">{difference.name}</th>
              <td className={styles.before}>
                <Value value={difference.before} />
              </td>
              <td className={styles.after}>
                <Value value={difference.after} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

const maxShown = 2_000

function Value({ value }: { value: unknown }) {
  if (value === undefined) return '–'
  const text = typeof value === 'string' ? value : JSON.stringify(value, null, 2)
  return (
    <bdi className={styles.value}>{text.length > maxShown ? `${text.slice(0, maxShown)}…` : text || '(empty)'}</bdi>
  )
}
