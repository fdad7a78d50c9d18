// Hands a file to the browser's downloads.
const NAME_MAX = 80;
const RECORDING = /\.(csv|bin|stave)$/; // what a picture need not be called

/** A name that every file system takes. */
function fileName(text: string): string {
    const clean = text.replace(/[^\p{L}\p{N} ._#()+-]+/gu, "_").replace(/^\.+/, "");
    const dot = clean.lastIndexOf(".");
    const name = clean.slice(0, dot).replace(RECORDING, "");
    return name.slice(0, NAME_MAX) + clean.slice(dot);
}

export function saveAs(blob: Blob, name: string): void {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(blob);
    link.download = fileName(name);
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
