import { Button } from '../design/button.tsx'
import { SelectField } from '../design/field.tsx'
import { ShortText } from '../design/text.tsx'
import { groupPath } from '../persons/group-path.ts'
import { Link } from '../router/index.ts'
import { type ConsoleAccess, type Role, roleNames, roles, whatRolesDo } from '../session/roles.ts'
import styles from './access-form.module.css'

type Entry = ConsoleAccess[number]

type AccessRowProps = { entry: Entry; onChange: (entry: Entry) => void; onRemove: () => void }

export const AccessRow = ({ entry: { group, role }, onChange, onRemove }: AccessRowProps) => (
  <li className={styles.row}>
    <Link to={groupPath(group)} className={styles.name}>
      <ShortText>{group}</ShortText>
    </Link>
    <SelectField
      name={`role of ${group}`}
      label={`Role of ${group}`}
      value={role}
      onChange={(chosen) => onChange({ group, role: chosen as Role })}
      options={roles.map((each) => [each, roleNames[each]])}
    />
    <span className={styles.may}>{whatRolesDo[role]}</span>
    <Button size="small" tone="quiet" icon="cross" aria-label={`Take out ${group}`} onClick={onRemove} />
  </li>
)
