// How widgets follow the store and the keyboard.
import { useEffect, useRef, useState } from "preact/hooks";
import type { State, Store } from "../view/state";

/** What `select` takes from the state. Renders anew only when that is another value than before. */
export function useStore<T>(store: Store, select: (state: State) => T): T {
    const [, setSeen] = useState(() => select(store.state));
    const latest = useRef(select);
    latest.current = select;
    useEffect(() => {
        const look = () => {
            const value = latest.current(store.state);
            setSeen(() => value);
        };
        look(); // it may have changed since the first rendering
        return store.listen(look);
    }, [store]);
    return select(store.state);
}

/** As useStore, but follows a value only once it has stayed the same for so many milliseconds. */
export function useSettled<T>(store: Store, select: (state: State) => T, delay: number): T {
    const [settled, setSettled] = useState(() => select(store.state));
    const latest = useRef(select);
    latest.current = select;
    useEffect(() => {
        let timer: ReturnType<typeof setTimeout> | undefined;
        const settle = () => setSettled(() => latest.current(store.state));
        const stop = store.listen((now, before) => {
            if (latest.current(now) === latest.current(before)) return;
            clearTimeout(timer);
            timer = setTimeout(settle, delay);
        });
        return () => {
            clearTimeout(timer);
            stop();
        };
    }, [store, delay]);
    return settled;
}

/** Does `act` when a key is pressed anywhere but in a field or a dialog, which have their own use for it. */
export function useShortcut(key: string, act: () => void): void {
    const latest = useRef(act);
    latest.current = act;
    useEffect(() => {
        const press = (event: KeyboardEvent) => {
            if (event.key !== key || event.ctrlKey || event.metaKey || event.altKey) return;
            if (event.target instanceof Element && event.target.closest("input, dialog")) return;
            event.preventDefault();
            latest.current();
        };
        document.addEventListener("keydown", press);
        return () => document.removeEventListener("keydown", press);
    }, [key]);
}
