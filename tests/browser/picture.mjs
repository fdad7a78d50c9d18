// What the page draws, read from the SVG file that it saves: the same code draws it on the canvas.
import assert from "node:assert/strict";
import { downloaded } from "./harness.mjs";

/** Colours of the light theme. */
export const LIGHT = {
    tasks: ["#4a78c2", "#2f9c8f", "#7a86d8", "#4fa3c4"],
    isrs: ["#dd7440", "#d9a11f", "#c85a72"],
    marker: "#8a4fbf",
    deadline: "#b97500",
    slow: "#cc3434",
    hatch: "#9aa0a6",
    accent: "#2f5fd0",
    text: "#1c1f22",
};
const BARS = [...LIGHT.tasks, ...LIGHT.isrs];

export async function svgOf(page) {
    const click = () => page.getByRole("button", { name: "SVG", exact: true }).click();
    const { bytes } = await downloaded(page, click);
    return bytes.toString("utf8");
}

/** All shapes of an SVG file, in the page's coordinates. It is read as XML: what is not well formed, throws. */
async function shapesOf(page, svg) {
    return page.evaluate((svg) => {
        const document = new DOMParser().parseFromString(svg, "application/xml");
        const error = document.querySelector("parsererror");
        if (error) throw new Error(error.textContent);
        const downOf = (node) => {
            const moved = /translate\(0 (.*)\)/.exec(node?.getAttribute?.("transform") ?? "");
            return node ? Number(moved?.[1] ?? 0) + downOf(node.parentNode) : 0;
        };
        return [...document.documentElement.querySelectorAll("*")].map((node) => ({
            tag: node.localName,
            parent: node.parentNode.getAttribute("id"),
            text: node.childElementCount ? "" : node.textContent,
            down: downOf(node),
            ...Object.fromEntries([...node.attributes].map(({ name, value }) => [name, value])),
        }));
    }, svg);
}

const number = (text) => Number(text ?? 0);

function placed(shape) {
    if (shape.points) {
        const points = shape.points.split(" ").map((point) => point.split(",").map(Number));
        const xs = points.map(([x]) => x);
        const ys = points.map(([, y]) => y + shape.down);
        const [x, y] = [Math.min(...xs), Math.min(...ys)];
        const [width, height] = [Math.max(...xs) - x, Math.max(...ys) - y];
        return { ...shape, x, y, width, height, corners: points.length };
    }
    const { x, y, width, height, down } = shape;
    return {
        ...shape,
        x: number(x),
        y: number(y) + down,
        width: number(width),
        height: number(height),
    };
}

/** The picture of what the page shows now, sorted by what things are. The theme is the light one. */
export async function pictureOf(page) {
    const svg = await svgOf(page);
    const shapes = (await shapesOf(page, svg)).map(placed);
    const rects = shapes.filter(({ tag, parent }) => tag === "rect" && parent === null);
    const texts = shapes.filter(({ tag }) => tag === "text");
    const polygons = shapes.filter(({ tag }) => tag === "polygon");
    const lines = shapes.filter(({ tag }) => tag === "polyline");
    const ground = shapes.filter(({ parent, tag }) => tag === "rect" && /^clip/.test(parent ?? ""));
    const hatches = hatchesOf(shapes);
    return {
        svg,
        plot: ground[1], // the first is that of the names
        lanes: texts.filter((text) => text["text-anchor"] === "end").sort((a, b) => a.y - b.y),
        texts,
        bars: rects.filter(({ fill, height }) => BARS.includes(fill) && height > 10),
        torn: polygons.filter(({ fill }) => BARS.includes(fill)),
        missed: rects.filter(({ stroke }) => stroke === LIGHT.slow),
        pinned: rects.filter(({ stroke }) => stroke === LIGHT.accent),
        dashed: rects.filter((rect) => rect["stroke-dasharray"]),
        ticks: polygons.filter(({ corners }) => corners === 3),
        marks: rects.filter(({ fill }) => fill === LIGHT.marker),
        labels: texts.filter(({ fill }) => fill === LIGHT.marker),
        hatched: rects.filter(({ fill }) => hatches.get(fill) === LIGHT.hatch),
        brackets: lines.filter(({ corners }) => corners === 4),
        restarts: lines.filter((line) => line["stroke-dasharray"] === "6 3"),
    };
}

function hatchesOf(shapes) {
    return new Map(
        shapes
            .filter(({ parent }) => /^hatch/.test(parent ?? ""))
            .map(({ parent, fill }) => [`url(#${parent})`, fill]),
    );
}

/** Where a time stands in a picture of a window. */
export function xOf({ plot }, { from, to }, us) {
    return plot.x + ((us - from) / (to - from)) * plot.width;
}

export function near(actual, expected, by = 0.02) {
    assert.ok(Math.abs(actual - expected) <= by, `${actual} is not ${expected}`);
}

/** Shapes that stand on the lane of a name. */
export function onLane(picture, name, shapes) {
    const y = picture.lanes.find(({ text }) => text === name)?.y - 4; // the middle of its text
    assert.ok(y, `there is no lane ${name}`);
    return shapes.filter((shape) => shape.y <= y && shape.y + shape.height >= y);
}
