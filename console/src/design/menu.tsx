import { Menu as BaseMenu } from '@base-ui/react/menu'
import { Icon, type IconName } from './icon.tsx'
import styles from './menu.module.css'

export type MenuItem = {
  name: string
  icon?: IconName
  onSelect: () => void
  isDangerous?: boolean
  disabled?: boolean
}

/** Actions that are needed less often, behind one button. `of`: what they act on. */
export function Menu({ of, items }: { of: string; items: readonly MenuItem[] }) {
  return (
    <BaseMenu.Root>
      <BaseMenu.Trigger className={styles.trigger} aria-label={`More actions for ${of}`}>
        <Icon name="more" />
      </BaseMenu.Trigger>
      <BaseMenu.Portal>
        <BaseMenu.Positioner className={styles.positioner} align="end" sideOffset={4}>
          <BaseMenu.Popup className={styles.popup}>
            {items.map(({ name, icon, onSelect, isDangerous, disabled }) => (
              <BaseMenu.Item
                key={name}
                className={`${styles.item} ${isDangerous ? styles.dangerous : ''}`}
                disabled={disabled}
                onClick={onSelect}
              >
                {icon && <Icon name={icon} size={16} />}
                {name}
              </BaseMenu.Item>
            ))}
          </BaseMenu.Popup>
        </BaseMenu.Positioner>
      </BaseMenu.Portal>
    </BaseMenu.Root>
  )
}
